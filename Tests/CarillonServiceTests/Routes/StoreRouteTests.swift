#if Service
import CarillonDocuments
import CarillonModel
import HTTPTypes
import Testing

@testable import CarillonService

struct StoreRouteTests {
  @Test("Settings change together or not at all, and null resets one")
  func settings() async throws {
    try await RouteBench.run { bench in
      let changed = try await bench.answer(
        .patch, "settings", #"{"dayStart":"04:00","horizonDays":14,"asksToOpen":true}"#)
      #expect(
        changed["settings"] == [
          "dayStart": .text("04:00"), "horizonDays": .integer(14), "asksToOpen": .bool(true),
        ])
      let wrong = try await bench.send(
        .patch, "settings", #"{"dayStart":"05:00","horizonDays":0}"#)
      #expect(wrong.detail.hasPrefix("horizonDays: \"0\" is not a number of days from 1 to 400"))
      #expect(try wrong.json()["hint"]?.text?.hasPrefix("correct the value") == true)
      try await bench.answer(.patch, "settings", #"{"horizonDays":null}"#)
      let settings = try await bench.answer(.get, "settings")["settings"]
      #expect(settings?["dayStart"] == .text("04:00"))
      #expect(settings?["horizonDays"] == .integer(8))
      let unknown = try await bench.send(.patch, "settings", #"{"colour":"red"}"#)
      #expect(unknown.detail == "unknown member \"colour\"")
      let text = try await bench.send(.patch, "settings", #"{"asksToOpen":"on"}"#)
      #expect(text.detail == "asksToOpen must be true or false or null, not text")
    }
  }

  @Test("Permission and switches of this device are recorded")
  func device() async throws {
    try await RouteBench.run { bench in
      #expect(try await bench.answer(.get, "permission")["blocked"] == .text("notDetermined"))
      try await bench.allowReminders()
      #expect(try await bench.answer(.get, "permission")["blocked"] == .null)
      try await bench.answer(.put, "alerts", #"{"alerts":false,"sound":false}"#)
      let permission = try await bench.answer(.get, "permission")
      #expect(permission["blocked"] == .text("alertsOff"))
      #expect(permission["sound"] == .bool(false))
      let wrong = try await bench.send(.put, "permission", #"{"status":"maybe"}"#)
      #expect(wrong.status == .unprocessableContent)
      #expect(try await bench.send(.put, "alerts", "{}").detail == "no switch is given")
    }
  }

  @Test("Exported events can be imported into another replica of the store")
  func events() async throws {
    try await RouteBench.run { bench in
      let id = try await bench.addHabit(#"{"title":"Walk"}"#)
      let exported = try await bench.send(.get, "export")
      #expect(exported.headers[.contentType] == "application/x-ndjson")
      let count = exported.text.split(separator: "\n").count
      let again = try await bench.answer(.post, "import?format=events", exported.text)
      #expect(again["read"] == .integer(count))
      #expect(again["imported"] == .integer(0))
      #expect(exported.text.contains(id))
      let wrong = try await bench.send(.post, "import?format=events", exported.text + "{}\n")
      #expect(wrong.detail.hasPrefix("line \(count + 1): "))
    }
  }

  @Test(
    "A table is exported as the command line exports it",
    arguments: ["habits", "entries", "receipts"])
  func tables(table: String) async throws {
    try await RouteBench.run { bench in
      let id = try await bench.addHabit(#"{"title":"=Walk, \"far\""}"#)
      try await bench.answer(.post, "habits/\(id)/done", #"{"note":"cold"}"#)
      let exported = try await bench.send(.get, "export?format=csv&table=\(table)")
      #expect(exported.headers[.contentType] == "text/csv; charset=utf-8")
      #expect(
        exported.text == (try await bench.text(["export", "--format", "csv", "--table", table])))
    }
  }

  @Test("Reminders are exported for calendars and for Loop, and imported from them")
  func foreign() async throws {
    try await RouteBench.run { bench in
      _ = try await bench.addHabit(
        #"{"title":"Walk","schedules":[{"rule":{"weekly":["mon"]},"times":["07:30"]}]}"#)
      let calendar = try await bench.send(.get, "export?format=ics")
      #expect(calendar.text.hasPrefix("BEGIN:VCALENDAR"))
      let lines = calendar.text.split(separator: "\r\n").map { line in
        line.hasPrefix("UID:") ? "UID:1" : line.replacing("Walk", with: "Swim")
      }
      let other = lines.joined(separator: "\r\n") + "\r\n"
      #expect(try await bench.answer(.post, "import?format=ics", other)["habits"] == .integer(1))
      let loop = try await bench.send(.get, "export?format=loop")
      #expect(loop.text.hasPrefix("SQLite format 3"))
      let wrong = try await bench.send(.post, "import?format=loop", "nothing")
      #expect(wrong.detail.hasPrefix("body is not a SQLite database"), "\(wrong.text)")
    }
  }

  @Test("An import over the limit, or of an unknown format, is refused")
  func limits() async throws {
    var limits = ServiceLimits()
    limits.bodyBytes = 1_000
    try await RouteBench.run(limits: limits) { bench in
      let large = try await bench.send(
        .post, "import?format=ics", String(repeating: "x", count: 1_001))
      #expect(large.status == .contentTooLarge)
      #expect(large.detail == "the body has more than 1000 bytes")
      let unknown = try await bench.send(.post, "import?format=zip", "x")
      #expect(unknown.detail == "format: \"zip\" is not one of events, loop, habitbull, ics")
      #expect(try await bench.send(.post, "import", "x").detail == "format is missing")
      let table = try await bench.send(.get, "export?format=ics&table=habits")
      #expect(table.detail == "table: belongs to the format csv, not to ics")
    }
  }
}
#endif
