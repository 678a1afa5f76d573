import Carillon
import CarillonLog
import CarillonModel
import CarillonSealing
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

/// The erasure of content in a sealed store, also where nobody can read it.
struct SealedErasureTests {
  @Test("What is erased on one device is dropped by every replica, also by one without keys")
  func erases() async throws {
    try await SealedStores.with { stores in
      let walk = try await stores.phone.add(Habit("Walk", .daily(at: ["17:00"])))
      let read = try await stores.phone.add(Habit("Read", .daily(at: ["20:00"])))
      try await stores.sync()
      try await stores.watch.markDone(walk.id)
      try await stores.watch.setNote("ravine", of: walk.id, on: .today)
      try await stores.watch.markDone(read.id)
      try await stores.sync()
      let erasure = try await stores.phone.erase(.habit(walk.id))
      #expect(erasure.payloadCount > 3)
      let kept = try stores.hub.keptPayloads()
      try await stores.sync()
      let redacted = try stores.phone.redactedIDs()
      #expect(redacted.count == erasure.payloadCount)
      for store in [stores.watch, stores.hub] { #expect(try store.redactedIDs() == redacted) }
      let left = try stores.hub.keptPayloads().filter { !$0.isEmpty }
      #expect(Set(kept).subtracting(left).count == redacted.count)
      #expect(try await stores.phone.stateDigest() == stores.watch.stateDigest())
      #expect(try await stores.watch.status().unknownEventCount == 0)
      for store in [stores.phone, stores.watch, stores.hub] {
        #expect(try await store.verify() == [])
        #expect(try store.erasureLists().count == 2, "one of each replica's events, of the phone")
      }
    }
  }

  @Test("What was written under an erased habit elsewhere is dropped when it arrives")
  func arrivesLater() async throws {
    try await SealedStores.with { stores in
      let walk = try await stores.phone.add(Habit("Walk", .daily(at: ["17:00"])))
      try await stores.sync()
      let before = try stores.watch.ids { _ in true }
      try await stores.watch.markDone(walk.id)
      let written = try stores.watch.ids { _ in true }.subtracting(before)
      try await stores.watch.sync(with: stores.hub)
      try await stores.phone.erase(.habit(walk.id))
      try await stores.sync()
      try await stores.sync()
      let redacted = try stores.hub.redactedIDs()
      #expect(redacted.intersection(written).count == 1)
      for store in [stores.phone, stores.watch] { #expect(try store.redactedIDs() == redacted) }
    }
  }

  @Test("A list of somebody without keys erases nothing on a device that has them")
  func forgedList() async throws {
    try await SealedStores.with { stores in
      try await stores.phone.add(Habit("Walk", .daily(at: ["17:00"])))
      try await stores.sync()
      let branch = try #require(try stores.phone.keptLog.branches().first)
      let others = (2..<branch.headSequence.rawValue).map(SequenceNumber.init)
      let list = ErasureList(
        erasure: EventID(words: (1 << 40, 2, 3, 4)), last: branch.head, others: Set(others))
      var stranger = EventHistory(
        .random(), milliseconds: stores.clock.now.milliseconds)
      let digest = try await stores.phone.stateDigest()
      try await stores.hub.keptLog.append(
        [stranger.run([list.written])], wallClock: stores.clock.now)
      try await stores.sync()
      #expect(try stores.hub.redactedIDs().count == others.count + 1)
      for device in [stores.phone, stores.watch] {
        #expect(try device.redactedIDs().isEmpty)
        #expect(try await device.stateDigest() == digest)
        #expect(try await device.habits().map(\.title) == ["Walk"])
      }
      // A new device has nothing but the hub, and says so.
      let directory = stores.hub.directory
      await stores.hub.close()
      let opened = try await Store.recover(
        at: directory, phrase: stores.phrase, options: .test(stores.clock))
      #expect(try await opened.habits().isEmpty)
      let problem = "\(others.count + 1) events arrived without content"
      #expect(try await opened.contentHealth().first?.hasPrefix(problem) == true)
      #expect(try await opened.verify().first?.message.hasPrefix(problem) == true)
      #expect(try await opened.verifyFully().damages.contains { $0.message.hasPrefix(problem) })
      try await opened.sync(with: stores.phone)
      #expect(try await opened.habits().map(\.title) == ["Walk"])
      #expect(try await opened.contentHealth().isEmpty)
      await opened.close()
    }
  }
}

extension Store {
  fileprivate func redactedIDs() throws -> Set<EventID> { try ids { $0.redacted != nil } }

  /// The IDs of the events for which a condition is true.
  fileprivate func ids(where isWanted: (RawEvent) -> Bool) throws -> Set<EventID> {
    var ids: Set<EventID> = []
    try keptLog.scan(after: .start) { event in
      if isWanted(event) { ids.insert(event.id) }
      return true
    }
    return ids
  }

  fileprivate func erasureLists() throws -> [ErasureList] {
    try keptPayloads().compactMap { payload in
      payload.withUnsafeBytes { ErasureList(written: $0) }
    }
  }
}
