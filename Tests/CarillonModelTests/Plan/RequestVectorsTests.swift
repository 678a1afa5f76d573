import Foundation
import Testing

@testable import CarillonModel

/// Holds the code against `protocol/vectors/requests.json`; tools/verify-vectors holds the same
/// file against the rules, with no code of ours.
@Suite("Request vectors")
struct RequestVectorsTests {
  private static let vectors = Result { try RequestVector.all() }

  @Test("The id of every occurrence is that of the vectors")
  func occurrences() throws {
    let vectors = try Self.vectors.get().filter { $0.nominal != nil }
    #expect(vectors.count >= 7)
    for vector in vectors {
      let nominal = try #require(vector.nominal?.split(separator: "T"))
      let id = RequestID(
        habit: try vector.habitID, slot: try vector.slotID,
        nominal: CivilDateTime(
          date: try #require(CivilDate(String(nominal[0]))),
          time: try #require(TimeOfDay(String(nominal[1])))))
      #expect(id.description == vector.id, "\(vector)")
    }
  }

  @Test("The id of every repeating request that is planned is that of the vectors")
  func repeating() throws {
    let triggers = TimeOfDay.all.flatMap { time in
      [.daily(time), .monthly(day: 15, time), .yearly(month: 3, day: 15, time)]
        + Weekday.allCases.map { RequestTrigger.Shape.weekly($0, time) }
    }
    let byText = Dictionary(uniqueKeysWithValues: triggers.map { ($0.description, $0) })
    let vectors = try Self.vectors.get().filter { byText[$0.trigger ?? ""] != nil }
    #expect(vectors.count >= 9)
    for vector in vectors {
      let id = RequestID(
        habit: try vector.habitID, slot: try vector.slotID,
        trigger: try #require(byText[vector.trigger ?? ""]))
      #expect(id.description == vector.id, "\(vector)")
    }
  }

  @Test("The key of every fetched item is that of the vectors")
  func items() throws {
    let vectors = try Self.vectors.get().filter { $0.item != nil }
    #expect(vectors.count >= 4)
    for vector in vectors {
      let subject = ReceiptSubject.item(
        source: try #require(vector.source), item: try #require(vector.item))
      #expect(subject.key == vector.id, "\(vector)")
    }
  }
}

private struct RequestVector: Decodable {
  let habit: String?
  let slot: String?
  let nominal: String?
  let trigger: String?
  let source: String?
  let item: String?
  let id: String

  var habitID: HabitID { get throws { try #require(habit.flatMap(HabitID.init)) } }
  var slotID: SlotID { get throws { try #require(slot.flatMap(SlotID.init)) } }

  static func all() throws -> [RequestVector] {
    struct File: Decodable { let requests: [RequestVector] }
    let file = URL(filePath: #filePath)
      .appending(path: "../../../../protocol/vectors/requests.json").standardized
    return try JSONDecoder().decode(File.self, from: Data(contentsOf: file)).requests
  }
}

extension TimeOfDay {
  fileprivate static let all = (0..<1_440).compactMap { TimeOfDay(minute: $0) }
}
