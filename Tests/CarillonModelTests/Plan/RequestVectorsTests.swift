import Foundation
import Testing

@testable import CarillonModel

/// Holds the code against `protocol/vectors/requests.json`; tools/verify-vectors holds the same
/// file against the rules, with no code of ours.
@Suite("Request vectors")
struct RequestVectorsTests {
  @Test("Every request has the ID in the vectors", arguments: try RequestVector.all())
  func vector(_ vector: RequestVector) throws {
    #expect(try vector.computedID() == vector.id)
  }

  @Test("The vectors contain requests of every kind")
  func kinds() throws {
    let ids = try RequestVector.all().map(\.id)
    for kind in RequestID.Kind.allCases {
      #expect(ids.contains { RequestID($0)?.kind == kind }, "\(kind)")
    }
  }
}

/// A request with the members that its kind has.
struct RequestVector: Decodable, CustomTestStringConvertible {
  let id: String
  var habit: String?
  var schedule: String?
  var nominal: String?
  var number: Int?
  var trigger: String?
  var group: String?
  var minute: Int64?
  var replica: String?
  var source: String?
  var item: String?

  var testDescription: String { id }

  static func all() throws -> [RequestVector] {
    struct File: Decodable { let requests: [RequestVector] }
    let file = URL(filePath: #filePath)
      .appending(path: "../../../../protocol/vectors/requests.json").standardized
    return try JSONDecoder().decode(File.self, from: Data(contentsOf: file)).requests
  }

  func computedID() throws -> String {
    if let source, let item { return RequestID(source: source, item: item).description }
    if let group, let minute {
      return RequestID(group: group, fireAt: Instant(milliseconds: minute * 60_000)).description
    }
    if let replica { return RequestID(opening: try #require(ReplicaID(replica))).description }
    let (habit, schedule) = (
      try #require(habit.flatMap(HabitID.init)), try #require(schedule.flatMap(ScheduleID.init))
    )
    if let trigger {
      let shape = try #require(RequestTrigger(trigger)).shape
      return RequestID(habit: habit, schedule: schedule, trigger: shape).description
    }
    let nominal = try #require(nominal.flatMap(CivilDateTime.init))
    return RequestID(habit: habit, schedule: schedule, nominal: nominal, number: number ?? 0)
      .description
  }
}
