import Carillon
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

/// Fetched items: each alerts once in each revision.
@Suite struct IngestTests {
  private func items(_ ids: ClosedRange<Int>, revision: String = "0") -> [FetchedItem] {
    ids.map { FetchedItem(id: "\($0)", revision: revision) }
  }

  @Test("GitHawk's cases: an empty list, a repeated item, and a newer revision of an item")
  func gitHawk() async throws {
    try await withStore { store, _ in
      let before = try store.lastPosition()
      let nothing = try await store.ingest([], from: "github")
      #expect(nothing == Intake(result: .noData, blocked: .notDetermined))
      #expect(try store.lastPosition() == before)

      let first = try await store.ingest([FetchedItem(id: "1", revision: "a")], from: "github")
      #expect(first.result == .newData && first.fresh.map(\.item.id) == ["1"])
      let again = try await store.ingest([FetchedItem(id: "1", revision: "a")], from: "github")
      #expect(again.result == .noData && again.fresh.isEmpty && again.seen == 1)

      let newer = try await store.ingest([FetchedItem(id: "1", revision: "b")], from: "github")
      #expect(newer.fresh.map(\.item.revision) == ["b"])
      // The update replaces the delivered alert.
      #expect(newer.fresh.map(\.id) == first.fresh.map(\.id))
      let other = try await store.ingest([FetchedItem(id: "1", revision: "a")], from: "feed")
      #expect(other.fresh.map(\.id) != first.fresh.map(\.id))
    }
  }

  @Test("A long list with the newest item first can be polled again and again")
  func newestFirst() async throws {
    try await withStore { store, _ in
      for last in [1_000, 1_001, 1_002, 1_002] {
        let list = Array(items((last - 999)...last).reversed())
        let intake = try await store.ingest(list, from: "feed", isNewestFirst: true)
        #expect(intake.fresh.count == (last == 1_000 ? 1_000 : intake.fresh.isEmpty ? 0 : 1))
        #expect(intake.fresh.first?.item.id ?? "1002" == "\(last)")
      }
    }
  }

  @Test("A title with thousands of flags is cut in linear time, at a whole scalar")
  func longTitle() async throws {
    try await withStore { store, _ in
      let flags = FetchedItem(id: "1", title: String(repeating: "🇩🇪", count: 200_000))
      let marks = FetchedItem(id: "2", title: "a" + String(repeating: "\u{301}", count: 150))
      let intake = try await store.ingest([flags, marks], from: "feed")
      #expect(intake.fresh.count == 2)
      var titles: [String?] = []
      for case .itemObserved(let observed) in try await store.payloads() {
        titles += observed.items.map(\.title)
      }
      #expect(titles[0] == String(repeating: "🇩🇪", count: 25))
      #expect(titles[1]?.utf8.count == 199)
    }
  }

  @Test("Scenario 29: of 1,001 items the first alerts again, the others do not")
  func scenario29() async throws {
    try await withStore { store, _ in
      #expect(try await store.ingest(items(1...1_000), from: "feed").fresh.count == 1_000)
      #expect(try await store.ingest(items(1_001...1_001), from: "feed").fresh.count == 1)
      let polled = try await store.ingest(items(2...1_001), from: "feed")
      #expect(polled.fresh.isEmpty && polled.seen == 1_000)
      let updated = try await store.ingest(items(500...500, revision: "1"), from: "feed")
      let id = RequestID(source: "feed", item: "500")
      #expect(updated.fresh.map(\.id) == [id])
      #expect(try await store.ingest(items(1...1), from: "feed").fresh.map(\.item.id) == ["1"])
    }
  }

  @Test("The order is kept, and an item listed twice is fresh once")
  func order() async throws {
    try await withStore { store, _ in
      let given = ["b", "a", "b", "c", "a"].map { FetchedItem(id: $0) }
      let intake = try await store.ingest(given, from: "feed")
      #expect(intake.fresh.map(\.item.id) == ["b", "a", "c"])
      #expect(intake.seen == 2)
    }
  }

  @Test("A large list becomes several events in one transaction, each within its limits")
  func large() async throws {
    try await withStore { store, _ in
      let before = try store.lastPosition().rawValue
      let long = String(repeating: "é", count: 128)
      let given = (0..<1_000).map {
        FetchedItem(
          id: "\($0)" + long.dropLast($0 < 10 ? 1 : 2), revision: long, title: long + long)
      }
      let source = String(repeating: "é", count: 100)
      #expect(try await store.ingest(given, from: source).fresh.map(\.item) == given)
      var observed: [ItemObserved.Item] = []
      let written = try await store.payloads(after: LogPosition(rawValue: before))
      for case .itemObserved(let event) in written { observed += event.items }
      #expect(observed.map(\.item) == given.map(\.id))
      #expect(observed.allSatisfy { $0.title == String((long + long).prefix(100)) })
      #expect(try await store.ingest(given, from: source).fresh.isEmpty)
    }
  }

  @Test("An event contains at most 500 small items")
  func small() async throws {
    try await withStore { store, _ in
      let before = try store.lastPosition().rawValue
      _ = try await store.ingest(items(1...1_000), from: "feed")
      #expect(try store.lastPosition().rawValue == before + 2)
    }
  }

  @Test("An item read elsewhere does not alert, and its delivered notification is withdrawn")
  func read() async throws {
    try await withStore { store, _ in
      let shown = try await store.ingest(items(1...2), from: "feed")
      let before = try store.lastPosition()
      let read = [FetchedItem(id: "1", isUnread: false), FetchedItem(id: "9", isUnread: false)]
      let intake = try await store.ingest(read + items(2...2), from: "feed")
      #expect(intake.withdrawn == [shown.fresh[0].id])
      #expect(intake.fresh.isEmpty && intake.seen == 3 && intake.result == .noData)
      #expect(try store.lastPosition() == before)
      // It was never delivered, so it alerts once it is marked as unread.
      #expect(try await store.ingest(items(9...9), from: "feed").fresh.count == 1)
    }
  }

  @Test("What was recorded while permission was denied is fresh again, what alerts kept is not")
  func blocked() async throws {
    try await withStore { store, clock in
      try await store.setPermission(Permission(status: .denied))
      let denied = try await store.ingest(items(1...1), from: "feed")
      #expect(denied.blocked == .denied && denied.fresh.count == 1)
      #expect(try await store.ingest(items(1...1), from: "feed").fresh.isEmpty)
      clock.advance(seconds: 60)
      try await store.setPermission(Permission(status: .authorized))
      #expect(try await store.ingest(items(2...2), from: "feed").blocked == .alertsOff)
      try await store.setAlerts(true)
      let open = try await store.ingest(items(1...2), from: "feed")
      #expect(open.blocked == nil && open.fresh.map(\.item.id) == ["1"])
      #expect(try await store.ingest(items(1...2), from: "feed").fresh.isEmpty)
    }
  }

  @Test("A wake's result is recorded with the items, even for an empty list")
  func wake() async throws {
    try await withStore { store, _ in
      _ = try await store.ingest(items(1...3), from: "feed", wake: .fetch)
      _ = try await store.ingest([], from: "feed", wake: .push)
      var wakes: [WakeFinished] = []
      for case .wakeFinished(let wake) in try await store.payloads() { wakes.append(wake) }
      #expect(
        wakes == [
          WakeFinished(reason: .fetch, result: .newData, newCount: 3),
          WakeFinished(reason: .push, result: .noData),
        ])
    }
  }

  @Test("Too many items, or items that exceed a limit, record nothing")
  func refused() async throws {
    try await withStore { store, _ in
      let before = try store.lastPosition()
      await #expect {
        try await store.ingest(items(1...100_000), from: "feed")
      } throws: {
        ($0 as? StoreError)?.message == "items: 100000 at once; at most 1000 are allowed"
      }
      let long = FetchedItem(id: String(repeating: "x", count: 257))
      await #expect {
        try await store.ingest(items(1...2) + [long], from: "feed")
      } throws: {
        let error = $0 as? StoreError
        return error?.index == 2 && error?.message.contains("257 bytes") == true
      }
      await #expect(throws: StoreError.self) { try await store.ingest([], from: "") }
      #expect(try store.lastPosition() == before)
    }
  }

  @Test("If many callers ingest the same list at once, each item is fresh for exactly one")
  func concurrent() async throws {
    try await withStore { store, _ in
      let given = items(1...200)
      let fresh = try await withThrowingTaskGroup(of: [String].self) { group in
        for part in 0..<8 {
          group.addTask {
            var fresh: [String] = []
            for start in stride(from: 0, to: 200, by: 25) {
              let from = (start + part * 25) % 200
              let intake = try await store.ingest(Array(given[from..<from + 25]), from: "feed")
              fresh += intake.fresh.map(\.item.id)
            }
            return fresh
          }
        }
        return try await group.reduce(into: [], +=)
      }
      #expect(fresh.count == 200)
      #expect(Set(fresh).count == 200)
    }
  }

  @Test("GitHub's response is read, and an item without an ID is refused by its index")
  func gitHubJSON() throws {
    let thread =
      #"{"id":"7","updated_at":"2026-01-01T00:00:00Z","unread":false,"#
      + #""subject":{"title":"T","url":"u"},"repository":{"full_name":"a/b"},"reason":"x"}"#
    let read = try FetchedItem.gitHub(Array("[\(thread)]".utf8))
    #expect(
      read == [
        FetchedItem(
          id: "7", revision: "2026-01-01T00:00:00Z", title: "T", body: "a/b", thread: "a/b",
          url: "u", isUnread: false)
      ])
    let refused = [
      ("{}", "notifications must be a JSON list, not an object"),
      ("[\(thread),{}]", "item 1: id: is missing; an item needs it"),
      (#"[{"id":"","updated_at":"x"}]"#, "item 0: id: is empty; text is required"),
      (#"[{"id":"1"}]"#, "item 0: updated_at: is missing; an item needs it"),
      ("[1]", "item 0: an item must be a JSON object, not a number"),
      ("[\"\u{1}\"]", "not valid JSON at byte 3: a control character must be escaped"),
    ]
    for (json, message) in refused {
      #expect {
        try FetchedItem.gitHub(Array(json.utf8))
      } throws: {
        #expect("\($0)" == message)
        return true
      }
    }
    #expect(throws: ModelError.self) { try FetchedItem.gitHub([0x5B, 0x22, 0xFF, 0x22, 0x5D]) }
  }

  @Test(
    "Real notifications alert once, in their order",
    .enabled(if: FileManager.default.fileExists(atPath: realNotifications.path)))
  func real() async throws {
    let given = try FetchedItem.gitHub(try Data(contentsOf: realNotifications))
    #expect(given.count == 10)
    try await withStore { store, _ in
      let first = try await store.ingest(given, from: "github")
      #expect(first.fresh.map(\.item) == given && first.seen == 0)
      #expect(first.fresh.first?.item.title == "[WIP] Preprocessing Phase for Updates")
      let again = try await store.ingest(given, from: "github")
      #expect(again.fresh.isEmpty && again.seen == 10)
      var updated = given
      updated[3].revision = "2017-05-16T00:00:00Z"
      updated[4].isUnread = false
      let second = try await store.ingest(updated, from: "github")
      #expect(second.fresh.map(\.id) == [first.fresh[3].id])
      #expect(second.withdrawn == [first.fresh[4].id])
    }
  }
}

/// Real data next to the package, if there is any.
private let realNotifications = URL(filePath: #filePath).deletingLastPathComponent()
  .appending(path: "../../../shared/real/github-notifications.json").standardized
