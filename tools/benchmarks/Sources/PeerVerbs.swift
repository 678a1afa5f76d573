import Carillon
import CarillonLMDB
import CarillonModel
import CarillonWire
import Foundation

/// The work that `tools/bench --peers` also does with other systems.
enum PeerVerbs {
  /// `facts STORE FACTS`: records that habits were done, 1,000 at a time, each time durably.
  ///
  /// The 1,000 habits are done in turn, on successive days. They are not created, since no other
  /// system needs that. The bytes on disk include the projections.
  static func facts(_ arguments: Arguments) async throws -> Measurement {
    let (directory, count) = (try arguments.directory(0), try arguments.number(1))
    let habits = try Fixtures.habits(1_000)
    let store = try await Store.create(
      at: directory, replica: "phone", role: .phone, options: Fixtures.options)
    var measurement = try await Measurement.timing(count) {
      for start in stride(from: 0, to: count, by: 1_000) {
        let facts = (start..<min(start + 1_000, count)).map { index in
          Payload.entryRecorded(
            EntryRecorded(
              habit: habits[index % habits.count].id,
              date: CivilDate(rawValue: Int32(15_000 + index / habits.count)), kind: .mark,
              value: 1000))
        }
        let moment = Fixtures.now.milliseconds - Int64((count - start) * 1_000)
        _ = try await store.log.record(
          Fixtures.events(facts), wallClock: Instant(milliseconds: moment), expecting: nil)
      }
    }
    _ = try await store.status()
    await store.close()
    measurement.details["bytes"] = try byteCount(of: directory)
    return measurement
  }

  /// `fold STORE FACTS`: reads all facts from the log and counts the days of each habit.
  static func fold(_ arguments: Arguments) async throws -> Measurement {
    let log = try LMDBEventLog.open(at: arguments.directory(0))
    let count = try arguments.number(1)
    var days: [HabitID: Int] = [:]
    let measurement = try await Measurement.timing(count) {
      try log.scan(after: .start) { event in
        if case .entryRecorded(let entry) = try PayloadCoding.decode(event.payload) {
          days[entry.habit, default: 0] += 1
        }
        return true
      }
    }
    await log.close()
    guard days.values.reduce(0, +) == count else { throw UsageError(index: 1, kind: "all facts") }
    return measurement
  }

  private static func byteCount(of directory: URL) throws -> Int {
    let files = FileManager.default.enumerator(at: directory, includingPropertiesForKeys: nil)
    return try (files?.compactMap { $0 as? URL } ?? []).reduce(0) { sum, file in
      sum + (try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0)
    }
  }
}
