import Foundation
import Testing

/// One call with a wrong `--now`, ahead or behind, suppresses no later reminder.
struct WrongClockCommandTests {
  private static func moment(_ day: Int, _ hour: String) -> String {
    let date = Date(timeIntervalSince1970: 1_795_392_000 + Double(day) * 86_400)
    return date.formatted(.iso8601.year().month().day()) + "T\(hour):00:00Z"
  }

  private func bench(_ flags: [String]) async throws -> Workbench {
    let bench = try await Workbench.withStore()
    let first = Self.moment(0, "06")
    _ = try await bench.start(["habit", "add", "Tea", "--at", "17:00"] + flags, now: first).answer()
    try await bench.run("permission", "grant", now: first)
    try await bench.run("alerts", "on", now: first)
    return bench
  }

  @Test(
    "Each later reminder fires once, at its own time", arguments: [30, 6, 400, -30, -1],
    [[], ["--unless", "done"]])
  func apply(days: Int, flags: [String]) async throws {
    let bench = try await bench(flags)
    let file = bench.path("system.json")
    func fired(_ day: Int, _ hour: String) async throws -> [String] {
      let answer = try await bench.json("plan", "--apply", file, now: Self.moment(day, hour))
      return answer["fired"]?.list.compactMap { $0["firedAt"]?.text } ?? []
    }
    for day in 0..<6 {
      #expect(try await fired(day, "07") == [], "day \(day)")
      #expect(try await fired(day, "19").count == 1, "day \(day)")
      if day == 1 { _ = try await fired(day + days, "20") }
    }
    let receipts = try await bench.json(
      "receipts", "--state", "delivered", now: Self.moment(5, "20"))["receipts"]
    let names = receipts?.list.compactMap { $0["id"]?.text } ?? []
    #expect(Set(names).count == names.count, "\(names)")
  }

  @Test(
    "A desktop still shows what is due, and what was added since",
    arguments: [30, 2, -30, -20_000])
  func watch(days: Int) async throws {
    let bench = try await bench(["--unless", "done"])
    try await bench.run("habit", "add", "Walk", "--at", "17:00", now: Self.moment(0, "06"))
    func shown(_ day: Int, _ hour: String) async throws -> [String] {
      let answer = try await bench.start(
        ["watch", "--once", "--json"], now: Self.moment(day, hour), with: ["PATH": "/nowhere"]
      ).answer().document()
      return answer["shown"]?.list.compactMap { $0["title"]?.text }.sorted() ?? []
    }
    for day in 0..<5 {
      #expect(try await shown(day, "07") == [], "day \(day)")
      // This replaces the queue, including what was pending for today.
      if day == 3 { _ = try await shown(day + days, "16") }
      #expect(try await shown(day, "19") == ["Tea", "Walk"], "day \(day)")
      if day == 1 { _ = try await shown(day + days, "20") }
    }
    // A reminder that was added after the last run and became due is shown too.
    try await bench.run(
      "habit", "add", "Late", "--once", "2026-11-28T11:00", now: Self.moment(5, "06"))
    #expect(try await shown(5, "12") == ["Late"])
  }
}
