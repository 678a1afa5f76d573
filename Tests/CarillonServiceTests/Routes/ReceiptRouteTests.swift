#if Service
import CarillonDocuments
import CarillonModel
import CarillonTesting
import HTTPTypes
import Testing

struct ReceiptRouteTests {
  /// Returns the ID of the only reminder of a habit, which is due.
  private static func due(_ bench: RouteBench) async throws -> (habit: String, key: String) {
    try await bench.allowReminders()
    let habit = try await bench.addHabit(
      #"{"title":"Walk","schedules":[{"rule":{"once":"2026-11-23"},"times":["13:00"]}]}"#)
    let key = try #require(try await bench.answer(.get, "pending")["pending"]?[0]?["id"]?.text)
    bench.clock.set("2026-11-23T12:05:00Z")
    return (habit, key)
  }

  @Test("An answer to a reminder is carried out, and listed with the receipt")
  func answer() async throws {
    try await RouteBench.run { bench in
      let (habit, key) = try await Self.due(bench)
      let recorded = try await bench.answer(
        .post, "receipts", #"{"key":"\#(key)","action":"done","text":"far"}"#)
      #expect(recorded["nominal"] == .text("2026-11-23T13:00"))
      let receipt = try await bench.answer(.get, "receipts?habit=\(habit)")["receipts"]?[0]
      #expect(receipt?["state"] == .text("acted"))
      #expect(receipt?["action"] == .text("done"))
      #expect(receipt?["text"] == .text("far"))
      #expect(try await bench.answer(.get, "habits")["habits"]?[0]?["today"] == .text("done"))
      let again = try await bench.answer(
        .post, "receipts", #"{"key":"\#(key)","action":"done","text":"far"}"#)
      #expect(again["events"]?.elements == [])
    }
  }

  @Test("Pages of receipts have each one once")
  func pages() async throws {
    try await RouteBench.run { bench in
      let items = (1...7).map { #"{"id":"\#($0)","title":"Item \#($0)"}"# }
      try await bench.answer(
        .post, "ingest", #"{"source":"feed","items":[\#(items.joined(separator: ","))]}"#)
      var (titles, path) = ([String](), "receipts?limit=3")
      while true {
        let page = try await bench.answer(.get, path)
        titles += page["receipts"]?.elements.compactMap { $0["title"]?.text } ?? []
        guard let next = page["next"]?.text else { break }
        path = "receipts?limit=3&after=" + next.replacing(" ", with: "%20")
      }
      #expect(titles.sorted() == (1...7).map { "Item \($0)" })
      let wrong = try await bench.send(.get, "receipts?after=x")
      #expect(wrong.detail == "after: there is no receipt \"x\" any more")
    }
  }

  @Test(
    "A receipt that is wrong is refused by the name of its member",
    arguments: [
      ("{}", "key is missing"), (#"{"key":"c1.x"}"#, "one of state and action is required"),
      (#"{"key":"c1.x","state":"acted"}"#, "state: \"acted\" is not one of delivered, opened"),
      (#"{"key":"c1.x","state":"opened","text":"a"}"#, "text and minutes belong to an action"),
      (#"{"key":"c1.x","action":"done","minutes":5}"#, "minutes belongs to the action snooze"),
      (#"{"key":"c1.x","state":"opened"}"#, "there is no notification \"c1.x\""),
    ])
  func refused(body: String, detail: String) async throws {
    try await RouteBench.run { bench in
      let reply = try await bench.send(.post, "receipts", body)
      #expect(reply.detail.contains(detail), "\(reply.text)")
    }
  }

  @Test("An item alerts once, and a push is received once")
  func intake() async throws {
    try await RouteBench.run { bench in
      try await bench.allowReminders()
      let items = #"{"source":"feed","items":[{"id":1,"title":"One"}],"wake":"fetch"}"#
      #expect(try await bench.answer(.post, "ingest", items)["fresh"]?.elements.count == 1)
      #expect(try await bench.answer(.post, "ingest", items)["seen"] == .integer(1))
      let push = #"{"aps":{"alert":{"title":"Drink"}},"carillon-id":"d"}"#
      #expect(try await bench.answer(.post, "push", push)["title"] == .text("Drink"))
      #expect(try await bench.answer(.post, "push", push)["repeated"] == .bool(true))
      let wrong = try await bench.send(
        .post, "ingest", #"{"source":"feed","items":[{"id":"1"},{"title":"x"}]}"#)
      #expect(wrong.detail == "items: item 2: id: is missing; an item needs it")
      let large = try await bench.send(.post, "push", String(repeating: " ", count: 5_000))
      #expect(large.status == .contentTooLarge)
    }
  }
}
#endif
