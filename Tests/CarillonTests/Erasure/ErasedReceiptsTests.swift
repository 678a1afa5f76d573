import Carillon
import CarillonModel
import CarillonTesting
import Foundation
import Testing

/// Receipts and items that are erased, and those that are kept.
@Suite struct ErasedReceiptsTests {
  private static func items(_ range: ClosedRange<Int>) -> [FetchedItem] {
    range.map { FetchedItem(id: "\($0)", title: "secret \($0)") }
  }

  @Test("Existing receipts are erased on every replica; later ones are kept as before")
  func soFar() async throws {
    try await withPhoneAndWatch { phone, watch, clock in
      _ = try await phone.ingest(Self.items(1...3), from: "github")
      _ = try await phone.ingest(Self.items(1...3), from: "feed")
      try await phone.sync(with: watch)
      clock.advance(seconds: 60)
      let report = try await phone.eraseReceipts(.source("github"))
      #expect(report.payloadCount == 1)
      #expect(Set(try await phone.receipts().map(\.subject.source)) == ["feed"])
      clock.advance(seconds: 60)
      #expect(try await phone.ingest(Self.items(3...4), from: "github").fresh.count == 2)
      #expect(try await phone.ingest(Self.items(3...4), from: "github").fresh.isEmpty)
      try await watch.sync(with: phone)
      for store in [phone, watch] {
        #expect(try await store.receipts().count == 5)
        #expect(try await store.verify() == [])
      }
      #expect(try await phone.stateDigest() == watch.stateDigest())
    }
  }

  @Test("Receipts before a date are erased; those of the date itself are kept")
  func beforeDate() async throws {
    try await withStore { store, clock in
      clock.set("2026-11-23T22:59:59.999Z")
      _ = try await store.ingest(Self.items(1...1), from: "github")
      clock.set("2026-11-23T23:00:00Z")
      _ = try await store.ingest(Self.items(2...2), from: "github")
      clock.set("2026-11-24T08:00:00Z")
      let report = try await store.eraseReceipts(.all, before: "2026-11-24")
      #expect(report.payloadCount == 1)
      #expect(try await store.receipts().map(\.title) == ["secret 2"])
      await #expect(throws: StoreError.self) {
        try await store.eraseReceipts(.all, before: "2026-11-25")
      }
    }
  }

  @Test("A habit's receipts are erased, and the habit and everything else are kept")
  func ofHabit() async throws {
    try await withStore { store, clock in
      try await store.setPermission(Permission(status: .authorized))
      try await store.setAlerts(true)
      let walk = try await store.add(Habit("Walk", .daily(at: ["17:00"])))
      try await store.add(Habit("Read", .daily(at: ["17:00"])))
      let plan = try await store.plan()
      clock.set("2026-11-23T16:01:00Z")
      for request in plan.requests.prefix(2) {
        try await store.recordReceipt(.delivered, of: .request(request.id))
      }
      #expect(try await store.receipts().count == 2)
      let report = try await store.eraseReceipts(.habit(walk.id))
      #expect(report.payloadCount == 1)
      #expect(try await store.receipts().count == 1)
      #expect(try await store.habits().count == 2)
      #expect(try await store.eraseReceipts(.all).payloadCount == 1)
      #expect(try await store.receipts().isEmpty)
      #expect(try await store.eraseReceipts(.all).scopes.isEmpty)
      await #expect { try await store.eraseReceipts(.source("none")) } throws: {
        ($0 as? StoreError)?.code == .notFound
      }
    }
  }

  @Test("An erased source accepts no new events, and the error says so")
  func forGood() async throws {
    try await withStore { store, _ in
      _ = try await store.ingest(Self.items(1...3), from: "github")
      try await store.erase(.items(source: "github", upTo: nil))
      let position = try store.lastPosition()
      await #expect { try await store.ingest(Self.items(4...4), from: "github") } throws: {
        "\($0)".contains("github was permanently erased")
      }
      #expect(try store.lastPosition() == position)
    }
  }
}
