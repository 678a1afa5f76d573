#if Service
import CarillonDocuments
import CarillonModel
import CarillonTesting
import HTTPTypes
import Testing

/// What a route answers is what the command line prints for the same store.
struct DocumentRouteTests {
  /// Fills a store with habits of several kinds, on which something was recorded.
  private static func fill(_ bench: RouteBench) async throws -> String {
    try await bench.allowReminders()
    let walk = try await bench.addHabit(
      #"""
      {"title":"Walk","goal":"3/week","schedules":[
        {"rule":{"weekly":["mon","fri"]},"times":["07:30","17:00"],"unless":["done"]}]}
      """#)
    let water = try await bench.addHabit(
      #"""
      {"title":"Water \u0007","kind":"count","target":2000,"unit":"litres","schedules":[
        {"rule":{"interval":7200,"from":"2026-11-23T08:00:00Z","window":"08:00-20:00"}}]}
      """#)
    _ = try await bench.addHabit(
      #"""
      {"title":"Gym","schedules":[
        {"rule":{"place":{"latitude":52520000,"longitude":13405000,"radius":200}}}]}
      """#)
    for date in ["2026-11-20", "2026-11-21"] {
      try await bench.answer(.post, "habits/\(walk)/done", #"{"date":"\#(date)"}"#)
    }
    try await bench.answer(.post, "habits/\(water)/done", #"{"amount":500,"note":"cold"}"#)
    try await bench.answer(.put, "habits/\(walk)/notes/today", #"{"text":"rain"}"#)
    try await bench.answer(.post, "habits/\(walk)/skip", #"{"date":"tomorrow"}"#)
    try await bench.answer(.patch, "settings", #"{"quietHours":"22:00-07:00","dayStart":"04:00"}"#)
    let key = try #require(
      try await bench.answer(.get, "pending")["pending"]?[0]?["id"]?.text)
    bench.clock.set("2026-11-23T13:05:00Z")
    try await bench.answer(.post, "receipts", #"{"key":"\#(key)","state":"delivered"}"#)
    return walk
  }

  @Test("Each document is the one that the command line prints")
  func documents() async throws {
    try await RouteBench.run { bench in
      let walk = try await Self.fill(bench)
      let pairs: [(route: String, verb: [String])] = [
        ("habits", ["habit", "list"]),
        ("habits?archived=true&deleted=true", ["habit", "list", "--all"]),
        ("habits/\(walk)", ["habit", "show", walk]),
        (
          "habits/\(walk)/entries?from=2026-11-01", ["entry", "list", walk, "--from", "2026-11-01"]
        ),
        ("habits/\(walk)/explain?date=2026-11-27", ["explain", walk, "--on", "2026-11-27"]),
        ("pending?limit=5&days=3", ["pending", "--limit", "5", "--days", "3"]),
        ("pending", ["pending"]), ("today", ["today"]),
        ("week", ["week"]), ("week?date=2026-11-20", ["week", "--on", "2026-11-20"]),
        ("settings", ["settings", "show"]), ("permission", ["permission", "show"]),
        ("replicas", ["replicas", "list"]), ("status?digest=true", ["status", "--digest"]),
      ]
      for (route, verb) in pairs {
        let answer = try await bench.answer(.get, route)
        let printed = try await bench.carillon(verb)
        #expect(answer.isEqualButForCommands(to: printed), "\(route): \(answer) \(printed)")
      }
      let receipts = try await bench.answer(.get, "receipts?state=all")["receipts"]
      #expect(
        try await bench.carillon(["receipts", "list", "--state", "all"])["receipts"] == receipts)
    }
  }

  @Test("Times have the offset of the device's zone")
  func offset() async throws {
    try await RouteBench.run { bench in
      _ = try await Self.fill(bench)
      let pending = try await bench.answer(.get, "pending")
      #expect(pending["zone"] == .text("Europe/Berlin"))
      #expect(pending["pending"]?[0]?["fireAt"]?.text?.hasSuffix("+01:00") == true)
    }
  }
}

extension JSON {
  /// Whether the command line printed the same document, in which words may go on with a command
  /// that the service does not name.
  fileprivate func isEqualButForCommands(to printed: JSON) -> Bool {
    switch (self, printed) {
    case (.text(let own), .text(let other)):
      own == other || other.hasPrefix(own) && other.contains(": carillon ")
    case (.array(let own), .array(let others)):
      own.count == others.count && zip(own, others).allSatisfy { $0.isEqualButForCommands(to: $1) }
    case (.object(let own), .object(let other)):
      own.members.map(\.name) == other.members.map(\.name)
        && zip(own.members, other.members).allSatisfy {
          $0.value.isEqualButForCommands(to: $1.value)
        }
    default: self == printed
    }
  }
}
#endif
