#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import CarillonTesting
import HTTPTypes
import Testing

struct RecordRouteTests {
  @Test("What is done is an entry of its date, with its amount, time and note")
  func done() async throws {
    try await RouteBench.run { bench in
      let id = try await bench.addHabit(#"{"title":"Water","kind":"count","target":2000}"#)
      let answer = try await bench.answer(
        .post, "habits/\(id)/done",
        #"{"date":"yesterday","amount":500,"at":"2026-11-22T07:12:00+01:00","note":"cold"}"#)
      #expect(answer["date"] == .text("2026-11-22"))
      let entry = try await bench.answer(.get, "habits/\(id)/entries")["entries"]?[0]
      #expect(entry?["amount"] == .integer(500))
      #expect(entry?["at"] == .text("2026-11-22T07:12:00+01:00"))
      #expect(entry?["note"] == .text("cold"))
    }
  }

  @Test("Without a body, today is done, and a repeat writes nothing")
  func twice() async throws {
    try await RouteBench.run { bench in
      let id = try await bench.addHabit(#"{"title":"Walk"}"#)
      let first = try await bench.answer(.post, "habits/\(id)/done")
      #expect(first["date"] == .text("2026-11-23"))
      #expect(first["events"]?.elements.count == 1)
      let entry = try await bench.answer(.get, "habits/\(id)/entries")["entries"]?[0]?["entry"]
      #expect(first["entry"] == entry && entry != nil)
      let again = try await bench.answer(.post, "habits/\(id)/done", "{}")
      #expect(again["events"]?.elements == [] && again["entry"] == .null)
    }
  }

  @Test("What was recorded last for a date is taken back, or all of it")
  func undo() async throws {
    try await RouteBench.run { bench in
      let id = try await bench.addHabit(#"{"title":"Water","kind":"count","target":2000}"#)
      for _ in 0..<3 { try await bench.answer(.post, "habits/\(id)/done") }
      try await bench.answer(.post, "habits/\(id)/undo")
      #expect(try await bench.answer(.get, "habits/\(id)/entries")["entries"]?.elements.count == 2)
      try await bench.answer(.post, "habits/\(id)/undo", #"{"date":"today","all":true}"#)
      #expect(try await bench.answer(.get, "habits/\(id)/entries")["entries"]?.elements == [])
    }
  }

  @Test("One date or several are skipped")
  func skip() async throws {
    try await RouteBench.run { bench in
      let id = try await bench.addHabit(#"{"title":"Walk"}"#)
      #expect(
        try await bench.answer(.post, "habits/\(id)/skip")["date"] == .text("2026-11-23"))
      let several = try await bench.answer(
        .post, "habits/\(id)/skip", #"{"dates":["today","2026-12-24","2026-12-25"]}"#)
      #expect(several["count"] == .integer(3))
      #expect(several["newCount"] == .integer(2))
      #expect(several["last"] == .text("2026-12-25"))
      let both = try await bench.send(
        .post, "habits/\(id)/skip", #"{"date":"today","dates":["today"]}"#)
      #expect(both.detail == "unknown member \"date\"")
    }
  }

  @Test("What is done is not skipped, and the answer names its date")
  func skipDone() async throws {
    try await RouteBench.run { bench in
      let id = try await bench.addHabit(#"{"title":"Walk"}"#)
      try await bench.answer(.post, "habits/\(id)/done")
      let today: JSON = .array([.text("2026-11-23")])
      let one = try await bench.answer(.post, "habits/\(id)/skip")
      #expect(one["keptDone"] == today && one["events"]?.elements == [])
      let several = try await bench.answer(
        .post, "habits/\(id)/skip", #"{"dates":["today","2026-12-24"]}"#)
      #expect(several["keptDone"] == today && several["newCount"] == .integer(1))
    }
  }

  @Test("A note of a date is written, replaced and removed")
  func note() async throws {
    try await RouteBench.run { bench in
      let id = try await bench.addHabit(#"{"title":"Walk"}"#)
      let path = "habits/\(id)/notes/yesterday"
      #expect(
        try await bench.answer(.put, path, #"{"text":"rained"}"#)["date"] == .text("2026-11-22"))
      let notes = try await bench.answer(.get, "habits/\(id)")["notes"]
      #expect(notes?[0]?["notes"] == .array([.text("rained")]))
      #expect(try await bench.answer(.get, "today")["habits"]?[0]?["note"] == .null)
      try await bench.answer(.put, "habits/\(id)/notes/today", #"{"text":"sunny"}"#)
      #expect(try await bench.answer(.get, "today")["habits"]?[0]?["note"] == .text("sunny"))
      try await bench.answer(.put, "habits/\(id)/notes/today", #"{"text":null}"#)
      try await bench.answer(.put, path, #"{"text":null}"#)
      #expect(try await bench.answer(.get, "habits/\(id)")["notes"] == .array([]))
      #expect(try await bench.send(.put, path, "{}").detail == "text is missing")
    }
  }

  @Test("An entry is changed, and removed")
  func entry() async throws {
    try await RouteBench.run { bench in
      let id = try await bench.addHabit(#"{"title":"Water","kind":"count","target":2000}"#)
      try await bench.answer(.post, "habits/\(id)/done", #"{"note":"cold"}"#)
      let old = try await bench.answer(.get, "habits/\(id)/entries")["entries"]?[0]
      let entry = try #require(old?["entry"]?.text)
      let changed = try await bench.answer(
        .patch, "habits/\(id)/entries/\(entry)", #"{"amount":3000,"date":"yesterday"}"#)
      let now = try await bench.answer(.get, "habits/\(id)/entries")["entries"]
      #expect(now?.elements.count == 1)
      #expect(now?[0]?["entry"] == changed["entry"])
      #expect(now?[0]?["amount"] == .integer(3000))
      #expect(now?[0]?["note"] == .text("cold"))
      let next = try #require(changed["entry"]?.text)
      try await bench.answer(.delete, "habits/\(id)/entries/\(next)")
      let gone = try await bench.send(.delete, "habits/\(id)/entries/\(next)")
      #expect(gone.status == .notFound)
    }
  }

  @Test("The last reminder is snoozed, and the snooze is ended")
  func snooze() async throws {
    try await RouteBench.run { bench in
      try await bench.allowReminders()
      let id = try await bench.addHabit(
        #"{"title":"Walk","schedules":[{"rule":{"weekly":["mon"]},"times":["13:00"]}]}"#)
      func canSnooze() async throws -> JSON? {
        try await bench.answer(.get, "today")["habits"]?[0]?["canSnooze"]
      }
      #expect(try await canSnooze() == .bool(false))
      bench.clock.set("2026-11-23T12:05:00Z")
      #expect(try await canSnooze() == .bool(true))
      let snoozed = try await bench.answer(.post, "habits/\(id)/snooze", #"{"minutes":30.0}"#)
      #expect(snoozed["snoozed"]?["fireAt"] == .text("2026-11-23T13:35:00+01:00"))
      let pending = try await bench.answer(.get, "pending")["pending"]?[0]
      #expect(pending?["fireAt"] == snoozed["snoozed"]?["fireAt"])
      let ended = try await bench.answer(.post, "habits/\(id)/snooze", #"{"off":true}"#)
      #expect(ended["ended"]?.elements.count == 1)
      // A skipped date fires no snoozed reminder.
      try await bench.answer(.post, "habits/\(id)/skip")
      #expect(try await canSnooze() == .bool(false))
      let wrong = try await bench.send(.post, "habits/\(id)/snooze", #"{"minutes":0}"#)
      #expect(wrong.detail == "minutes: 0 is out of range; 1 to 525600 is allowed")
    }
  }

  @Test("A snooze names the end of the one that it replaces, and ends alone by its own end")
  func snoozeAgain() async throws {
    try await RouteBench.run { bench in
      try await bench.allowReminders()
      let id = try await bench.addHabit(
        #"{"title":"Walk","schedules":[{"rule":{"weekly":["mon"]},"times":["13:00","14:00"]}]}"#)
      bench.clock.set("2026-11-23T12:05:00Z")
      let path = "habits/\(id)/snooze"
      let first = try await bench.answer(.post, path, #"{"minutes":180}"#)["snoozed"]
      #expect(first?["replacedEnd"] == .null)
      let second = try await bench.answer(.post, path, #"{"minutes":240}"#)["snoozed"]
      #expect(second?["replacedEnd"] == first?["until"])
      bench.clock.set("2026-11-23T13:05:00Z")
      let other = try await bench.answer(.post, path, #"{"minutes":15}"#)["snoozed"]
      #expect(other?["replacedEnd"] == .null)
      let until = try #require(other?["until"]?.text)
      let ended = try await bench.answer(.post, path, #"{"off":true,"until":"\#(until)"}"#)
      #expect(ended["ended"] == .array([.text(until)]))
      let left = try await bench.answer(.post, path, #"{"off":true}"#)["ended"]
      #expect(left == .array([try #require(second?["until"])]))
    }
  }

  @Test("Without a reminder to snooze, the answer says why")
  func nothingToSnooze() async throws {
    try await RouteBench.run { bench in
      let id = try await bench.addHabit(#"{"title":"Walk"}"#)
      let answer = try await bench.answer(.post, "habits/\(id)/snooze")
      #expect(answer["snoozed"] == .null)
      #expect(answer["detail"] == .text("no reminder of Walk fired in the last 24 hours"))
      #expect(answer["events"]?.elements == [])
    }
  }

  @Test(
    "A wrong value of a record is refused by its name, and nothing is written",
    arguments: [
      ("done", #"{"date":"2026-02-30"}"#, "date: \"2026-02-30\" is not a date"),
      ("done", #"{"amount":"much"}"#, "amount must be a whole number, not text"),
      ("done", #"{"amount":99999999999999999999}"#, "a whole number of at most 64 bits"),
      ("done", #"{"amount":-500}"#, "amount: -0.5 is not positive"),
      ("done", #"{"at":"noon"}"#, "at: \"noon\" is not a time in RFC 3339"),
      ("done", #"{"at":"2026-11-23T12:01:00+01:00"}"#, "is in the future"),
      ("undo", #"{"all":"yes"}"#, "all must be true or false, not text"),
      ("skip", #"{"dates":[]}"#, "dates: has 0 elements; from 1 to 731 are allowed"),
      ("skip", #"{"dates":[7]}"#, "dates must be a list of texts, not of a number"),
      ("snooze", #"{"minutes":5,"off":true}"#, "minutes is not allowed with until or off"),
      ("done", #"{"when":"now"}"#, "unknown member \"when\""),
    ])
  func refused(verb: String, body: String, detail: String) async throws {
    try await RouteBench.run { bench in
      let id = try await bench.addHabit(#"{"title":"Walk"}"#)
      let before = try bench.store.lastPosition()
      let reply = try await bench.send(.post, "habits/\(id)/\(verb)", body)
      #expect(reply.detail.contains(detail), "\(reply.text)")
      #expect(try bench.store.lastPosition() == before)
    }
  }

  @Test("A body over the limit is refused before it is read")
  func large() async throws {
    try await RouteBench.run { bench in
      let id = try await bench.addHabit(#"{"title":"Walk"}"#)
      let note = String(repeating: "x", count: 300_000)
      let reply = try await bench.send(.post, "habits/\(id)/done", #"{"note":"\#(note)"}"#)
      #expect(reply.status == .contentTooLarge)
      #expect(reply.detail == "the body has more than 262144 bytes")
    }
  }
}
#endif
