import Carillon
import CarillonModel
import CarillonTesting
import Foundation
import Testing

/// A peer that sends events as redacted by events that did not erase them.
@Suite struct FalseErasureTests {
  /// The event that the peer names as the erasing event.
  enum Named: CaseIterable {
    /// An event that does not exist.
    case nothing
    /// An event that erases nothing.
    case description
    /// An event that erases something else.
    case otherErasure
    /// An erasure that reaches only up to an earlier event.
    case earlierErasure
  }

  @Test(
    "Held payloads are not lost to a peer that claims they were erased", arguments: Named.allCases)
  func held(_ named: Named) async throws {
    try await withPeer(named) { phone, peer, walk in
      let count = try await phone.payloadCount(naming: walk)
      #expect(try await peer.payloadCount(naming: walk) < count)
      for leads in [true, false] {
        if leads { try await phone.sync(with: peer) } else { try await peer.sync(with: phone) }
        #expect(try await phone.payloadCount(naming: walk) == count)
        #expect(try await phone.entries(of: walk, on: .date("2026-11-03")).count == 1)
        #expect(try await phone.verify() == [])
      }
      let digest = try await phone.stateDigest()
      #expect(try await phone.rebuild().stateDigest == digest)
    }
  }

  @Test(
    "A redaction that no held erasure explains is unconfirmed until the payload is restored",
    arguments: [Named.nothing, .description, .earlierErasure])
  func unconfirmed(_ named: Named) async throws {
    try await withPeer(named) { phone, peer, walk in
      try await withThird(phone) { third in
        try await third.sync(with: peer)
        #expect(try await third.status().unconfirmedEventCount == 5)
        #expect(try await third.entries(of: walk, on: .date("2026-11-03")).isEmpty)
        #expect(try await third.verify().map(\.kind) == [.missingContent])
        try await third.sync(with: phone)
        try await expectEqual(third, phone, walk)
      }
    }
  }

  /// Without the payload, no replica can see that the erasure covers something else.
  @Test("A payload that no held erasure covers is accepted, whatever its redaction names")
  func otherErasure() async throws {
    try await withPeer(.otherErasure) { phone, peer, walk in
      try await withThird(phone) { third in
        try await third.sync(with: peer)
        #expect(try await third.status().unconfirmedEventCount == 0)
        #expect(try await third.entries(of: walk, on: .date("2026-11-03")).isEmpty)
        try await third.append(events: phone.storedEvents())
        #expect(try await third.entries(of: walk, on: .date("2026-11-03")).count == 1)
        try await third.sync(with: phone)
        try await expectEqual(third, phone, walk)
      }
    }
  }

  private func expectEqual(_ third: Store, _ phone: Store, _ walk: HabitID) async throws {
    #expect(try await third.status().unconfirmedEventCount == 0)
    #expect(try await third.payloadCount(naming: walk) == phone.payloadCount(naming: walk))
    let digest = try await phone.stateDigest()
    #expect(try await third.stateDigest() == digest)
    #expect(try await third.verify() == [])
    #expect(try await third.rebuild().stateDigest == digest)
  }

  @Test("A digest that does not match the payload is refused, and nothing is written")
  func digest() async throws {
    try await withPeer(.nothing) { phone, _, walk in
      try await withThird(phone) { third in
        let before = try await third.status().eventCount
        var events = try await phone.storedEvents()
        let last = try #require(events.last)
        events[events.count - 1] = StoredEvent(
          id: last.id, replica: last.replica, sequence: last.sequence,
          redacted: RedactedContent(digest: PayloadDigest([1]), erasure: last.id))
        let error = await #expect(throws: StoreError.self) {
          try await third.append(events: events)
        }
        #expect(error?.code == .invalidValue)
        #expect(try await third.status().eventCount == before)
      }
    }
  }

  // MARK: -

  /// Runs a body with a phone that has five entries of a habit and erased another habit, and a peer
  /// that holds the entries without payloads.
  private func withPeer(
    _ named: Named, _ body: (Store, Store, HabitID) async throws -> Void
  ) async throws {
    try await withStore { phone, clock in
      let walk = try await phone.add(Habit("Walk", .daily(at: ["17:00"])))
      let read = try await phone.add(Habit("Read", .daily(at: ["17:00"])))
      let date: CivilDate = "2026-11-01"
      for day in 0..<5 { try await phone.markDone(walk.id, on: .date(date.adding(days: day))) }
      let first = try #require(try await phone.storedEvents().first?.id)
      try await phone.append([.dataErased(Erasure(.receipts(of: walk.id, upTo: first)))])
      try await phone.erase(.habit(read.id))
      var events = try await phone.storedEvents()
      let erasing: EventID? =
        switch named {
        case .nothing: EventID(words: (1 << 40, 2, 3, 4))
        case .description: events.first?.id
        case .otherErasure: events.last?.id
        case .earlierErasure: events.dropLast().last?.id
        }
      let erasure = try #require(erasing)
      // The entries come before the erasures.
      for index in (events.count - 7)..<(events.count - 2) {
        let event = events[index]
        events[index] = StoredEvent(
          id: event.id, replica: event.replica, sequence: event.sequence,
          redacted: RedactedContent(digest: PayloadDigest(event.payload), erasure: erasure))
      }
      try await withThird(phone, name: "peer") { peer in
        try await peer.append(events: events)
        try await body(phone, peer, walk.id)
      }
    }
  }

  /// Runs a body with another, empty replica of a store.
  private func withThird(
    _ phone: Store, name: String = "third", _ body: (Store) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      let clock = ManualClock("2026-11-23T09:00:00Z")
      let third = try await Store.create(
        at: directory.appending(path: name), replica: name, storeID: phone.id,
        options: .test(clock))
      do {
        try await body(third)
      } catch {
        await third.close()
        throw error
      }
      await third.close()
    }
  }
}
