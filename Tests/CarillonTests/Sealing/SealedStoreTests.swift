import Carillon
import CarillonModel
import CarillonSealing
import CarillonTestSupport
import CarillonTesting
import CarillonWire
import Foundation
import Testing

/// Stores whose events only the person's devices can read.
@Suite struct SealedStoreTests {
  @Test("Two devices that sync through a replica without keys have the same state")
  func throughHub() async throws {
    try await SealedStores.with { stores in
      let walk = try await stores.phone.add(Habit("Walk", .daily(at: ["17:00"])))
      try await stores.sync()
      try await stores.watch.markDone(walk.id)
      try await stores.watch.setNote("ravine", of: walk.id, on: .today)
      try await stores.sync()
      #expect(try await stores.phone.habits().map(\.title) == ["Walk"])
      #expect(try await stores.phone.entries(of: walk.id).count == 1)
      #expect(try await stores.phone.stateDigest() == stores.watch.stateDigest())
      #expect(try await stores.phone.verify() == [])
      let status = try await stores.phone.status()
      #expect(status.unknownEventCount == 0)
      #expect(!status.health.contains { $0.contains("events") }, "\(status.health)")
      #expect(status.sealingEpoch?.hasPrefix("1-") == true)
      #expect(try stores.hub.lastPosition() == stores.phone.lastPosition())
    }
  }

  @Test("Every payload is sealed but the start of the epoch, and none says what it is")
  func sealed() async throws {
    try await SealedStores.with { stores in
      try await stores.phone.add(Habit("Swim the strait", .daily(at: ["17:00"])))
      try await stores.sync()
      let payloads = try stores.hub.keptPayloads()
      let forms = payloads.map { $0.withUnsafeBytes { Envelope.form(of: $0) } }
      #expect(forms.first == .epochStart)
      #expect(forms.dropFirst().allSatisfy { $0 == .payload } && forms.count > 4)
      for name in ["Swim the strait", "phone", "Europe/Berlin"] {
        let bytes = Array(name.utf8)
        #expect(!payloads.contains { $0.contains(bytes) }, "\(name)")
      }
    }
  }

  @Test("Without keys a store is an error that says so, and can still be synced and backed up")
  func withoutKeys() async throws {
    try await SealedStores.with { stores in
      try await stores.phone.add(Habit("Walk", .daily(at: ["17:00"])))
      try await stores.sync()
      let hub = stores.hub
      await #expect(throws: StoreError.self) { try await hub.habits() }
      let status = try await hub.status()
      #expect(status.eventCount > 4 && status.replicas.map(\.sequence.rawValue).max() == 6)
      #expect(status.health.contains { $0.contains("cannot be shown") })
      await #expect(throws: StoreError.self) { try await hub.add(Habit("Read", .daily(at: []))) }
      #expect(try await hub.verify() == [])
      let count = try hub.lastPosition()
      #expect(try await hub.backUp(to: hub.directory.appending(path: "../b")).eventCount > 4)
      #expect(try hub.lastPosition() == count, "a replica without keys writes nothing")
      await hub.close()
      let directory = hub.directory
      let error = await #expect(throws: StoreError.self) { try await Store.open(at: directory) }
      #expect(error?.code.rawValue == "missingKeys")
    }
  }

  @Test("The recovery phrase opens a backup, and no other phrase does")
  func recovery() async throws {
    try await SealedStores.with { stores in
      let walk = try await stores.phone.add(Habit("Walk", .daily(at: ["17:00"])))
      try await stores.sync()
      let (backup, restored) = (
        stores.hub.directory.appending(path: "../b"), stores.hub.directory.appending(path: "../r")
      )
      try await stores.hub.backUp(to: backup)
      try await Store.restore(backup, at: restored, options: .test(stores.clock))
      let other = RecoveryPhrase().words.joined(separator: " ")
      let options = StoreOptions.test(stores.clock)
      let refused = await #expect(throws: StoreError.self) {
        try await Store.recover(at: restored, phrase: other, options: options)
      }
      #expect(refused?.code.rawValue == "missingKeys")
      #expect(!FileManager.default.fileExists(atPath: restored.path + "/keys"))
      let store = try await Store.recover(
        at: restored, phrase: stores.phrase, replica: "new phone", options: options)
      #expect(try await store.habits().map(\.id) == [walk.id])
      try await store.markDone(walk.id)
      try await store.sync(with: stores.hub)
      try await stores.sync()
      #expect(try await stores.watch.entries(of: walk.id).count == 1)
      #expect(try await store.stateDigest() == stores.watch.stateDigest())
      await store.close()
    }
  }

  @Test(
    "A restored store that is recovered continues its device, with another name and role if given",
    arguments: [nil, "desk"])
  func restoredDevice(name: String?) async throws {
    try await SealedStores.with { stores in
      let walk = try await stores.phone.add(Habit("Walk", .daily(at: ["17:00"])))
      try await stores.sync()
      try await stores.watch.setPermission(SimulatedLife.granted)
      try await stores.watch.setAlerts(true, sound: false)
      let old = try await stores.watch.device()
      let (backup, restored) = (
        stores.hub.directory.appending(path: "../b"), stores.hub.directory.appending(path: "../r")
      )
      try await stores.watch.backUp(to: backup)
      let options = StoreOptions.test(stores.clock)
      try await Store.restore(backup, at: restored, options: options)
      let store = try await Store.recover(
        at: restored, phrase: stores.phrase, replica: name, role: name.map { _ in .desktop },
        options: options)
      let new = try await store.device()
      #expect(new.replica != old.replica && new.description?.predecessor == old.replica)
      #expect(new.name == name ?? "watch")
      #expect(new.description?.role == (name == nil ? .watch : .desktop))
      #expect(new.permission == old.permission)
      #expect(new.alerts == old.alerts)
      try await store.markDone(walk.id)
      try await store.sync(with: stores.hub)
      try await stores.sync()
      #expect(try await store.sync(with: stores.hub).isComplete)
      #expect(try await store.stateDigest() == stores.phone.stateDigest())
      let names = try await stores.phone.replicas().map(\.replica)
      #expect(names.contains(new.replica))
      #expect(try await store.verify() == [])
      await store.close()
    }
  }

  @Test("Of a backup until a time before its device wrote, the restored store is a new device")
  func restoredUntil() async throws {
    try await SealedStores.with { stores in
      let moment = stores.clock.now
      stores.clock.advance(seconds: 3_600)
      let tablet = try await Store.clone(
        stores.phone, at: stores.hub.directory.appending(path: "../tablet"), replica: "tablet",
        role: .tablet, options: .test(stores.clock)
      ).store
      let (backup, restored) = (
        stores.hub.directory.appending(path: "../b"), stores.hub.directory.appending(path: "../r")
      )
      try await tablet.backUp(to: backup)
      let options = StoreOptions.test(stores.clock)
      try await Store.restore(backup, at: restored, until: moment, options: options)
      let store = try await Store.recover(at: restored, phrase: stores.phrase, options: options)
      let (old, new) = (try await tablet.device(), try await store.device())
      #expect(new.replica != old.replica && new.name == "recovered")
      #expect(new.description?.predecessor == nil)
      await store.close()
      await tablet.close()
    }
  }

  @Test("A lost key file is an error, and the phrase makes the same directory readable again")
  func lostFile() async throws {
    try await SealedStores.with { stores in
      try await stores.phone.add(Habit("Walk", .daily(at: ["17:00"])))
      let (directory, options) = (stores.phone.directory, StoreOptions.test(stores.clock))
      let before = try await stores.phone.stateDigest()
      await stores.phone.close()
      try FileManager.default.removeItem(at: directory.appending(path: "keys"))
      await #expect(throws: StoreError.self) {
        try await Store.open(at: directory, options: options)
      }
      let store = try await Store.recover(at: directory, phrase: stores.phrase, options: options)
      #expect(try await store.stateDigest() == before)
      #expect(try await store.verify() == [])
      await store.close()
    }
  }

  @Test("A store whose first events are damaged asks for its keys, and is neither empty nor plain")
  func damagedStart() async throws {
    try await SealedStores.with { stores in
      try await stores.phone.add(Habit("Walk", .daily(at: ["17:00"])))
      let (directory, options) = (stores.phone.directory, StoreOptions.test(stores.clock))
      let starts = try stores.phone.keptPayloads().prefix(2).map { Data($0.prefix(60)) }
      await stores.phone.close()
      try FileManager.default.removeItem(at: directory.appending(path: "keys"))
      let file = directory.appending(path: "log/data.mdb")
      for start in starts {
        var bytes = try Data(contentsOf: file)
        while let found = bytes.range(of: start) { bytes[found.upperBound - 1] ^= 0x20 }
        try bytes.write(to: file)
        let error = await #expect(throws: StoreError.self) {
          try await Store.open(at: directory, options: options)
        }
        #expect(error?.code == .missingKeys)
      }
    }
  }

  @Test("The key file is its owner's alone, and one that others can read is refused")
  func mode() async throws {
    try await SealedStores.with { stores in
      let path = stores.phone.directory.path + "/keys"
      func mode() throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      }
      #expect(try mode() == 0o600)
      await stores.phone.close()
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
      let directory = stores.phone.directory
      let error = await #expect(throws: StoreError.self) { try await Store.open(at: directory) }
      #expect(error?.code == .invalidValue)
    }
  }

  @Test("A revoked device reads what it has, and nothing that is written afterwards")
  func revocation() async throws {
    try await SealedStores.with { stores in
      let walk = try await stores.phone.add(Habit("Walk", .daily(at: ["17:00"])))
      try await stores.sync()
      let lost = try await stores.watch.status().replica
      let epoch = try await stores.phone.revokeDevice(of: lost)
      #expect(epoch?.number == 2 && stores.phone.sealingEpoch == epoch)
      let revoked = try await stores.phone.replicas().filter(\.isRevoked)
      #expect(revoked.map(\.replica) == [lost])
      let read = try await stores.phone.add(Habit("Read", .daily(at: ["20:00"])))
      try await stores.sync()
      #expect(try await stores.watch.habits().map(\.id) == [walk.id])
      let health = try await stores.watch.status().health
      #expect(health.contains { $0.contains("for a device that returns") }, "\(health)")
      let directory = stores.hub.directory
      await stores.hub.close()
      let options = StoreOptions.test(stores.clock)
      let opened = try await Store.recover(at: directory, phrase: stores.phrase, options: options)
      #expect(try await Set(opened.habits().map(\.id)) == [walk.id, read.id])
      #expect(opened.sealingEpoch == epoch)
      await opened.close()
    }
  }

  @Test("Of several devices with one name none is revoked by it, and one by its ID")
  func namesakes() async throws {
    try await SealedStores.with { stores in
      let second = try await Store.clone(
        stores.phone, at: stores.hub.directory.appending(path: "../second"), replica: "watch",
        role: .watch, options: .test(stores.clock)
      ).store
      let error = await #expect(throws: StoreError.self) {
        try await stores.phone.revokeDevice(named: "watch")
      }
      #expect(error?.code == .ambiguous && stores.phone.sealingEpoch?.number == 1)
      let replica = try await second.status().replica
      let epoch = try await stores.phone.revokeDevice(named: replica.description)
      #expect(epoch?.hasPrefix("2-") == true)
      try await stores.phone.sync(with: stores.watch)
      #expect(stores.watch.sealingEpoch?.number == 2)
      await second.close()
    }
  }

  @Test("A payload that was changed, moved or sent plainly has no effect, and is named")
  func refused() async throws {
    try await SealedStores.with { stores in
      try await stores.phone.add(Habit("Walk", .daily(at: ["17:00"])))
      try await stores.sync()
      let own = try #require(try stores.phone.keptPayloads().last)
      var changed = own
      changed[changed.count / 2] ^= 1
      let plain = try PayloadCoding.encode(
        .settingsSet(SettingsSet(.asksToOpen, to: "off")))
      for payload in [own, changed, plain] {
        let replica = ReplicaID.random()
        let item = EventRun.Item(
          timestamp: Timestamp(milliseconds: stores.clock.now.milliseconds),
          payload: payload)
        let root = EventChain.root(of: replica)
        let run = EventRun(
          replica: replica, firstSequence: .first, previous: root, items: [item],
          lastID: item.id(sequence: .first, previous: root))
        try await stores.hub.keptLog.append([run], wallClock: stores.clock.now)
        try await stores.phone.sync(with: stores.hub)
        let logged = try #require(try await stores.phone.event(run.lastID))
        #expect(logged.unopened?.event == run.lastID && logged.payload == nil)
        #expect(logged.unopened?.error.code == (payload == plain ? .notSealed : .damaged))
        #expect(logged.typeName == "unopened")
      }
      #expect(try await stores.phone.habits().map(\.title) == ["Walk"])
      let status = try await stores.phone.status()
      #expect(status.unknownEventCount == 0)
      #expect(status.health.contains { $0.hasPrefix("3 events cannot be read") }, "\(status)")
    }
  }

  @Test("A device without keys that clones over a transport sends nothing, and leaves nothing")
  func cloneWithoutKeys() async throws {
    try await SealedStores.with { stores in
      try await stores.phone.add(Habit("Walk", .daily(at: ["17:00"])))
      let (near, far) = try PipeTransport.pair(naming: stores.phone.id)
      async let answering = stores.phone.answer(over: far)
      let before = try stores.phone.lastPosition()
      let (directory, options) = (
        stores.hub.directory.appending(path: "../new"), StoreOptions.test(stores.clock)
      )
      let error = await #expect(throws: StoreError.self) {
        try await Store.clone(over: near, at: directory, replica: "new", options: options)
      }
      #expect(error?.code == .missingKeys)
      await near.close()
      #expect(try await answering.eventsReceived == 0)
      await far.close()
      #expect(try stores.phone.lastPosition() == before)
      #expect(!FileManager.default.fileExists(atPath: directory.path))
    }
  }

  @Test("A plain store becomes a sealed one with the same state")
  func sealing() async throws {
    try await withPhoneAndWatch { phone, watch, clock in
      let walk = try await phone.add(Habit("Walk", .daily(at: ["17:00"])))
      try await phone.markDone(walk.id, amount: 2)
      try await phone.sync(with: watch)
      clock.advance(seconds: 60)
      try await watch.markDone(walk.id, amount: 3)
      try await watch.edit(walk.id) { $0.title = "Stroll" }
      _ = try await watch.undo(walk.id, on: .today)
      let gone = try await watch.add(Habit("Gone", .daily(at: ["18:00"])))
      _ = try await watch.erase(.habit(gone.id))
      try await phone.sync(with: watch)
      let (store, words, count) = try await phone.seal(
        to: phone.directory.appending(path: "../sealed"))
      #expect(words.count == 24 && count > 8)
      #expect(try await store.habits().map(\.title) == ["Stroll"])
      #expect(
        try await store.entries(of: walk.id).map(\.amount)
          == phone.entries(of: walk.id).map(\.amount))
      #expect(try await store.verify() == [])
      let forms = try store.keptPayloads().map { $0.withUnsafeBytes { Envelope.form(of: $0) } }
      #expect(forms.allSatisfy { $0 != nil })
      let (own, old) = (try await store.status(), try await phone.status())
      #expect(own.store != old.store && own.role == .phone && own.unknownEventCount == 0)
      await store.close()
    }
  }
}
