#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import CarillonTesting
import HTTPTypes
import Testing

struct PlanRouteTests {
  private static let tuesdays = #"""
    {"title":"Walk","schedules":[
      {"rule":{"weekly":["tue"]},"times":["07:30"],"unless":["done"]}]}
    """#

  @Test("An unchanged queue keeps its bytes and its entity tag until something changes or fires")
  func cache() async throws {
    try await RouteBench.run { bench in
      try await bench.allowReminders()
      let id = try await bench.addHabit(Self.tuesdays)
      let first = try await bench.send(.get, "pending")
      bench.clock.set("2026-11-23T11:30:00Z")
      let second = try await bench.send(.get, "pending")
      #expect(second.text == first.text)
      #expect(second.headers[.eTag] == first.headers[.eTag])
      let tag = try #require(first.headers[.eTag])
      let same = try await bench.send(.get, "pending", headers: [.ifNoneMatch: tag])
      #expect(same.status == .notModified)
      try await bench.answer(.post, "habits/\(id)/skip", #"{"date":"tomorrow"}"#)
      let third = try await bench.send(.get, "pending", headers: [.ifNoneMatch: tag])
      #expect(third.status == .ok)
      #expect(try third.json()["pending"]?[0]?["nominal"]?.text != "2026-11-24T07:30")
    }
  }

  @Test("A queue is planned again once a reminder of it has fired")
  func fired() async throws {
    try await RouteBench.run { bench in
      try await bench.allowReminders()
      _ = try await bench.addHabit(Self.tuesdays)
      let next = try await bench.answer(.get, "pending")["pending"]?[0]?["fireAt"]
      #expect(next == .text("2026-11-24T07:30:00+01:00"))
      bench.clock.set("2026-11-24T06:30:00Z")
      let later = try await bench.answer(.get, "pending")
      #expect(later["asOf"] == .text("2026-11-24T07:30:00+01:00"))
      #expect(later["pending"]?[0]?["fireAt"] != next)
    }
  }

  @Test("An event of another process is in the next answer")
  func otherProcess() async throws {
    try await RouteBench.run { bench in
      try await bench.allowReminders()
      _ = try await bench.addHabit(Self.tuesdays)
      let before = try await bench.answer(.get, "pending")["pending"]?.elements.count
      _ = try await bench.carillon(["habit", "add", "Tea", "--on", "wed", "--at", "09:00"])
      #expect(
        try await bench.answer(.get, "pending")["pending"]?.elements.count == before.map { $0 + 1 })
    }
  }

  @Test("Answers with other limits are kept apart")
  func limits() async throws {
    try await RouteBench.run { bench in
      try await bench.allowReminders()
      _ = try await bench.addHabit(Self.tuesdays)
      #expect(try await bench.answer(.get, "pending?limit=0")["pending"] == .array([]))
      #expect(try await bench.answer(.get, "pending")["pending"]?.elements.isEmpty == false)
      let wrong = try await bench.send(.get, "pending?days=401")
      #expect(wrong.detail == "days: \"401\" is not a whole number from 1 to 400")
    }
  }

  @Test("A system gets what to change, and is recorded as having the plan once it reports that")
  func submit() async throws {
    try await RouteBench.run { bench in
      try await bench.allowReminders()
      let id = try await bench.addHabit(Self.tuesdays)
      #expect(try await bench.answer(.get, "plan")["submitted"] == .bool(false))
      let before = try bench.store.lastPosition()
      let first = try await bench.answer(.post, "plan", #"{"pending":[{"id":"theirs"}]}"#)
      #expect(first["foreign"] == .integer(1))
      let request = try #require(first["add"]?[0])
      #expect(try bench.store.lastPosition() == before, "a comparison records nothing")

      let held = try #require(request["id"]?.text)
      let print = try #require(request["fingerprint"]?.text)
      let list =
        first["add"]?.elements.map {
          #"{"id":\#($0["id"] ?? .null),"fingerprint":\#($0["fingerprint"] ?? .null)}"#
        } ?? []
      let ids = first["add"]?.elements.map { "\($0["id"] ?? .null)" } ?? []
      let body =
        #"{"pending":[{"id":"theirs"},\#(list.joined(separator: ","))],"#
        + #""added":[\#(ids.joined(separator: ","))]}"#
      let second = try await bench.answer(.post, "plan", body)
      #expect(second["add"] == .array([]))
      #expect(second["unchanged"] == .integer(list.count))
      let kinds = second["events"]?.elements.compactMap { $0["type"]?.text }
      #expect(kinds?.contains("plan.submitted") == true)
      #expect(try await bench.answer(.get, "plan")["submitted"] == .bool(true))

      try await bench.answer(.post, "habits/\(id)/skip", #"{"date":"tomorrow"}"#)
      let third = try await bench.answer(.post, "plan", body.replacing(/,"added".*/, with: "}"))
      #expect(third["remove"]?.elements.contains(.text(held)) == true, "\(print)")
      #expect(try await bench.answer(.get, "plan")["submitted"] == .bool(false))
    }
  }

  @Test("What a client did not do is not recorded as done")
  func incomplete() async throws {
    try await RouteBench.run { bench in
      try await bench.allowReminders()
      _ = try await bench.addHabit(Self.tuesdays)
      let first = try await bench.answer(.post, "plan", #"{"pending":[]}"#)
      let held = first["add"]?[0]?["id"] ?? .null
      let wrong = try await bench.answer(
        .post, "plan", #"{"pending":[{"id":\#(held),"fingerprint":"0"}],"added":[\#(held)]}"#)
      #expect(wrong["add"]?[0]?["id"] == held)
      #expect(try await bench.answer(.get, "plan")["submitted"] == .bool(false))
    }
  }

  @Test(
    "A report that is malformed is refused by the name of its member",
    arguments: [
      ("{}", "pending is missing"), (#"{"pending":[7]}"#, "an item of pending must be an object"),
      (#"{"pending":[{}]}"#, "an item of pending has no text \"id\""),
      (#"{"pending":[],"delivered":[{"id":"x"}]}"#, "deliveredAt is not a time in RFC 3339"),
      (#"{"pending":[],"added":[1]}"#, "added must be a list of texts"),
    ])
  func malformed(body: String, detail: String) async throws {
    try await RouteBench.run { bench in
      let reply = try await bench.send(.post, "plan", body)
      #expect(reply.detail.contains(detail), "\(reply.text)")
    }
  }
}
#endif
