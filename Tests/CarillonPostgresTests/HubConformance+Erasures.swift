#if Service
import CarillonHub
import CarillonModel
import CarillonTesting
import Testing

extension HubConformance {
  /// The payload of an event that archives a habit.
  private static func archiving(_ habit: HabitID) -> [UInt8] {
    [0x1A, 0x12, 0x0A, 0x10] + habit.bytes
  }

  /// The payload of an erasure of a habit, with its tag in one of the forms that protobuf allows.
  private static func erasing(_ habit: HabitID, tag: [UInt8] = [0xDA, 0x01]) -> [UInt8] {
    tag + [0x12, 0x0A, 0x10] + habit.bytes
  }

  /// The positions of a person's redacted events.
  private static func redacted(
    _ person: StoreID, in database: any HubDatabase
  ) async throws -> [Int] {
    var positions: [Int] = []
    try await database.log(of: person).scan(after: .start) { event in
      if event.redacted != nil { positions.append(Int(event.position.rawValue)) }
      return true
    }
    return positions
  }

  static func erasures(_ one: any HubDatabase, _ other: any HubDatabase) async throws {
    let (person, stranger) = (try await self.person(in: one).0, try await self.person(in: one).0)
    let habits = [HabitID.random(), .random(), .random()]
    var (history, eraser) = (EventHistory(.random()), EventHistory(.random()))
    let run = history.run(habits.map(archiving))
    for owner in [person, stranger] { try await append(run, to: owner, in: one) }
    let erasures = eraser.run([
      erasing(habits[0]), erasing(habits[1], tag: [0xDA, 0x81, 0x00]),
    ])
    try await append(erasures, to: person, in: other)
    #expect(try await redacted(person, in: one) == [1, 2])
    let later = history.run([archiving(habits[1]), archiving(habits[2])])
    for owner in [person, stranger] { try await append(later, to: owner, in: one) }
    #expect(try await redacted(person, in: other) == [1, 2, 6])
    #expect(try await redacted(stranger, in: other) == [])
  }
}
#endif
