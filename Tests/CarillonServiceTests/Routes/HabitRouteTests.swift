#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import HTTPTypes
import Testing

struct HabitRouteTests {
  @Test("A habit that is added is answered with the IDs of its schedules, and listed")
  func add() async throws {
    try await RouteBench.run { bench in
      let reply = try await bench.send(
        .post, "habits",
        #"""
        {"title":"Walk","goal":"3/week","order":2,
          "schedules":[{"rule":{"weekly":["mon","fri"]},"times":["07:30"],"unless":["done"]}]}
        """#)
      #expect(reply.status == .created, "\(reply.text)")
      let added = try reply.json()
      #expect(added["events"]?.elements.count == 3, "the habit, its schedule, and the use")
      let habit = try await bench.answer(.get, "habits")["habits"]?[0]
      #expect(habit?["id"] == added["habit"])
      #expect(habit?["schedules"]?[0]?["id"] == added["schedules"]?[0])
      #expect(habit?["order"] == .integer(2))
    }
  }

  @Test("A document that was answered can be sent to another store")
  func roundTrip() async throws {
    try await RouteBench.run { bench in
      let id = try await bench.addHabit(
        #"""
        {"title":"Water","kind":"count","target":2000,"unit":"litres","start":"2026-11-01",
          "schedules":[
            {"rule":{"interval":7200,"from":"2026-11-23T08:00:00Z","window":"08:00-20:00"}},
            {"rule":{"relative":{"base":{"weekly":["mon"]},"offsetSeconds":-900}},
              "times":["09:00"],"quietPolicy":"drop","data":{"a":"b"},"quota":"2/week"}]}
        """#)
      let listed = try await bench.answer(.get, "habits?archived=true")["habits"]?[0]
      guard case .object(var document)? = listed else { return #expect(Bool(false)) }
      for name in ["archived", "deleted", "today"] { document[name] = nil }
      try await bench.answer(.delete, "habits/\(id)")
      document["id"] = nil
      let again = try await bench.addHabit(document.description)
      let second = try await bench.answer(.get, "habits")["habits"]?[0]
      #expect(second?["id"]?.text == again)
      for name in ["target", "unit", "start", "kind"] { #expect(second?[name] == document[name]) }
      #expect(second?["schedules"]?.elements.count == 2)
    }
  }

  @Test("A habit that is sent again with its ID is not added twice")
  func repeated() async throws {
    try await RouteBench.run { bench in
      let document = #"{"id":"b7a0d3a2-6a0c-4f5e-9a6c-2f3f6e0d7c11","title":"Walk"}"#
      #expect(try await bench.send(.post, "habits", document).status == .created)
      let second = try await bench.send(.post, "habits?again=true", document)
      #expect(second.status == .conflict)
      #expect(second.code == "alreadyExists")
    }
  }

  @Test("A second habit of a title is refused, unless the request allows it")
  func sameTitle() async throws {
    try await RouteBench.run { bench in
      _ = try await bench.addHabit(#"{"title":"Café"}"#)
      let refused = try await bench.send(.post, "habits", #"{"title":"cafe"}"#)
      #expect(refused.status == .conflict)
      #expect(refused.detail == "there is already a habit \"Café\"")
      try await bench.answer(.post, "habits?again=true", #"{"title":"cafe"}"#)
      let id = try await bench.addHabit(#"{"title":"Tea"}"#)
      #expect(try await bench.send(.patch, "habits/\(id)", #"{"title":"CAFE"}"#).code != nil)
    }
  }

  @Test("A change sets the members that it has, and null resets them")
  func change() async throws {
    try await RouteBench.run { bench in
      let id = try await bench.addHabit(
        #"{"title":"Walk","goal":"3/week","kind":"count","group":"outside"}"#)
      try await bench.answer(
        .patch, "habits/\(id)", #"{"title":"Stroll","goal":null,"kind":null}"#)
      let habit = try await bench.answer(.get, "habits/\(id)")
      #expect(habit["title"] == .text("Stroll"))
      #expect(habit["goal"] == nil)
      #expect(habit["kind"] == nil)
      #expect(habit["group"] == .text("outside"))
      let unchanged = try await bench.answer(.patch, "habits/\(id)", #"{"title":"Stroll"}"#)
      #expect(unchanged["events"]?.elements == [])
    }
  }

  @Test(
    "A habit with a wrong member is refused by name, and nothing is written",
    arguments: [
      (#"{"title":"Walk","colour":"red"}"#, "malformed", "unknown member \"colour\""),
      (#"{"title":"Walk","archived":true}"#, "malformed", "unknown member \"archived\""),
      (#"{"title":"Walk""#, "malformed", "not valid JSON at byte 16"),
      (#"["Walk"]"#, "malformed", "the body must be a JSON object"),
      (#"{}"#, "invalidValue", "title: is missing; a habit needs it"),
      (#"{"title":7}"#, "invalidValue", "title: "),
      (#"{"title":"Walk","target":-1}"#, "invalidValue", "target: -1 is out of range"),
      (#"{"title":"Walk","start":"2026-13-01"}"#, "invalidValue", "start: "),
      (#"{"id":"x","title":"Walk"}"#, "invalidValue", "id: \"x\" is not an ID"),
      (
        #"{"title":"Walk","schedules":[{"rule":{"weekly":["mon"]}},{"rule":{"weekly":[]}}]}"#,
        "invalidValue", "schedules: item 2: "
      ),
      (#"{"title":"Walk","schedules":[{"times":["07:30"]}]}"#, "invalidValue", "rule: is missing"),
      (
        #"{"title":"Walk","schedules":[{"rule":{"weekly":["mon"]},"at":"7"}]}"#, "malformed",
        "unknown member \"at\""
      ),
    ])
  func refused(body: String, code: String, detail: String) async throws {
    try await RouteBench.run { bench in
      let before = try bench.store.lastPosition()
      let reply = try await bench.send(.post, "habits", body)
      #expect(reply.code == code, "\(reply.text)")
      #expect(reply.detail.contains(detail), "\(reply.text)")
      #expect(reply.status == (code == "malformed" ? .badRequest : .unprocessableContent))
      #expect(try bench.store.lastPosition() == before)
    }
  }

  @Test("A habit is archived, shown again, deleted, restored and erased")
  func states() async throws {
    try await RouteBench.run { bench in
      let id = try await bench.addHabit(#"{"title":"Walk"}"#)
      try await bench.answer(.post, "habits/\(id)/archive")
      #expect(try await bench.answer(.get, "habits")["habits"]?.elements == [])
      try await bench.answer(.post, "habits/\(id)/unarchive")
      try await bench.answer(.delete, "habits/\(id)")
      #expect(try await bench.answer(.get, "habits/\(id)")["deleted"] == .bool(true))
      try await bench.answer(.post, "habits/\(id)/restore")
      #expect(try await bench.answer(.get, "habits")["habits"]?.elements.count == 1)
      let erased = try await bench.answer(.delete, "habits/\(id)?erase=true")
      #expect(erased["erased"] != .integer(0))
      #expect(try await bench.send(.get, "habits/\(id)").status == .notFound)
    }
  }

  @Test("A pause of a habit or of all habits ends when it is resumed")
  func pause() async throws {
    try await RouteBench.run { bench in
      let id = try await bench.addHabit(#"{"title":"Walk"}"#)
      try await bench.answer(.post, "habits/\(id)/pause", #"{"to":"2026-11-30"}"#)
      try await bench.answer(.post, "pause", #"{"from":"tomorrow"}"#)
      #expect(try await bench.answer(.get, "habits/\(id)")["pauses"]?.elements.count == 2)
      try await bench.answer(.post, "habits/\(id)/resume")
      try await bench.answer(.post, "resume")
      #expect(try await bench.answer(.get, "habits/\(id)")["pauses"]?.elements == [])
      let wrong = try await bench.send(
        .post, "habits/\(id)/pause", #"{"from":"2026-12-02","to":"2026-12-01"}"#)
      #expect(wrong.detail == "to: 2026-12-01 is before the first date, 2026-12-02")
    }
  }

  @Test("An ID that is none, and one of no habit, are refused")
  func unknown() async throws {
    try await RouteBench.run { bench in
      let malformed = try await bench.send(.get, "habits/walk")
      #expect(malformed.status == .unprocessableContent)
      #expect(malformed.detail.hasPrefix("habit: \"walk\" is not an ID"))
      let missing = try await bench.send(.get, "habits/b7a0d3a2-6a0c-4f5e-9a6c-2f3f6e0d7c11")
      #expect(missing.status == .notFound)
      #expect(missing.code == "notFound")
    }
  }

  @Test("The habits have an entity tag, by which an unchanged answer is not sent again")
  func tag() async throws {
    try await RouteBench.run { bench in
      let id = try await bench.addHabit(#"{"title":"Walk"}"#)
      let tag = try #require(try await bench.send(.get, "habits").headers[.eTag])
      let same = try await bench.send(.get, "habits", headers: [.ifNoneMatch: "\"x\", \(tag)"])
      #expect(same.status == .notModified)
      #expect(same.text.isEmpty)
      try await bench.answer(.post, "habits/\(id)/done")
      let changed = try await bench.send(.get, "habits", headers: [.ifNoneMatch: tag])
      #expect(changed.status == .ok)
      #expect(changed.headers[.eTag] != tag)
    }
  }

  @Test("A parameter that a route does not have, and a wrong value, are refused by name")
  func parameters() async throws {
    try await RouteBench.run { bench in
      let unknown = try await bench.send(.get, "habits?all=true")
      #expect(unknown.status == .badRequest)
      #expect(unknown.detail == "unknown parameter \"all\"")
      let wrong = try await bench.send(.get, "habits?archived=yes")
      #expect(wrong.detail == "archived: \"yes\" is not true or false")
    }
  }
}
#endif
