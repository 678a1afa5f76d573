import Carillon
import CarillonModel
import CarillonSealing
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

/// The pairing of two devices by a code of six words, whose messages are synced as events.
@Suite struct PairingTests {
  /// What the two devices show, for the person who types it on the other one.
  private final class Screens: Sendable {
    private let shown = Locked<[String: String]>([:])

    func show(_ words: [String], on screen: String) {
      shown.set(shown.value.merging([screen: words.joined(separator: " ")]) { $1 })
    }

    /// Waits until a device shows its words.
    func words(on screen: String) async throws -> String {
      while true {
        if let words = shown.value[screen] { return words }
        try await Task.sleep(for: .milliseconds(2))
      }
    }
  }

  private static func dialog(
    _ store: Store, with hub: Store, _ screens: Screens, own: String, other: String,
    patience: Duration = .seconds(60), typing: @escaping @Sendable (String) -> String = { $0 }
  ) -> PairingDialog {
    PairingDialog(
      patience: patience, sync: { _ = try await store.sync(with: hub) },
      show: { screens.show($0, on: own) },
      ask: { _ in typing(try await screens.words(on: other)) })
  }

  /// Runs a body with the stores, and a new device that has a clone without keys.
  private static func withNewDevice(
    _ body: (SealedStores, Store) async throws -> Void
  ) async throws {
    try await SealedStores.with { stores in
      _ = try await stores.phone.add(Habit("Walk", .daily(at: ["17:00"])))
      try await stores.sync()
      var options = StoreOptions.test(stores.clock)
      options.mayLackKeys = true
      let new = try await Store.clone(
        stores.hub, at: stores.hub.directory.appending(path: "../new"), replica: "new",
        options: options
      ).store
      do {
        try await body(stores, new)
      } catch {
        await new.close()
        throw error
      }
      await new.close()
    }
  }

  @Test("A new device gets the keys through a replica that has none, and then reads and writes")
  func pairs() async throws {
    try await Self.withNewDevice { stores, new in
      let screens = Screens()
      let (phone, hub) = (stores.phone, stores.hub)
      async let given: Void = phone.giveKeys(
        by: Self.dialog(phone, with: hub, screens, own: "old", other: "new"))
      try await new.receiveKeys(
        by: Self.dialog(new, with: hub, screens, own: "new", other: "old"))
      try await given
      let directory = new.directory
      await new.close()
      let opened = try await Store.openFirst(
        at: directory, replica: nil, role: .tablet, otherwise: "tablet", .test(stores.clock))
      let walk = try #require(try await opened.habits().first)
      try await opened.markDone(walk.id)
      try await opened.sync(with: hub)
      try await stores.sync()
      #expect(try await stores.watch.entries(of: walk.id).count == 1)
      #expect(try await opened.stateDigest() == stores.watch.stateDigest())
      let status = try await opened.status()
      #expect(status.name == "tablet" && status.role == .tablet)
      #expect(status.unknownEventCount == 0)
      #expect(!status.health.contains { $0.contains("events") }, "\(status.health)")
      let replica = status.replica
      #expect(try await stores.phone.revokeDevice(of: replica)?.number == 2)
      await opened.close()
    }
  }

  @Test("If other words are typed on the device with the keys, no key leaves it")
  func otherWords() async throws {
    try await Self.withNewDevice { stores, new in
      let screens = Screens()
      let (phone, hub) = (stores.phone, stores.hub)
      let giving = Task {
        try await phone.giveKeys(
          by: Self.dialog(phone, with: hub, screens, own: "old", other: "new") { words in
            words.split(separator: " ").reversed().joined(separator: " ")
          })
      }
      let receiving = Task {
        try await new.receiveKeys(
          by: PairingDialog(
            sync: { _ = try await new.sync(with: hub) },
            show: { screens.show($0, on: "new") }, ask: { _ in "able able able" }))
      }
      let refused = await #expect(throws: StoreError.self) { try await giving.value }
      #expect(refused?.code == .denied)
      let ended = await #expect(throws: StoreError.self) { try await receiving.value }
      #expect(ended?.code == .denied)
      let path = new.directory.path + "/keys"
      #expect(!FileManager.default.fileExists(atPath: path))
      let messages = try hub.keptPayloads().compactMap { try? PairingEvent($0) }
      #expect(messages.map(\.step) == [1, 2, 3, 4] && messages.last?.message == [])
    }
  }

  @Test("A device whose counterpart does not answer gives up, and the next pairing starts afresh")
  func silence() async throws {
    try await Self.withNewDevice { stores, new in
      let screens = Screens()
      let (phone, hub) = (stores.phone, stores.hub)
      let error = await #expect(throws: StoreError.self) {
        try await new.receiveKeys(
          by: Self.dialog(
            new, with: hub, screens, own: "new", other: "old", patience: .milliseconds(1)))
      }
      #expect(error?.code == .unreachable)
      stores.clock.advance(seconds: 700)
      async let given: Void = phone.giveKeys(
        by: Self.dialog(phone, with: hub, screens, own: "old", other: "later"))
      try await new.receiveKeys(
        by: Self.dialog(new, with: hub, screens, own: "later", other: "old"))
      try await given
    }
  }

  /// Starts a pairing as a device does that is killed then.
  private static func abandonPairing(
    of new: Store, at hub: Store, _ clock: ManualClock
  ) async throws {
    let payload = PairingEvent(starting: PairingJoiner().commitment).payload
    _ = try await new.keptLog.record(
      [NewEvent(payload: payload)], wallClock: clock.now, expecting: nil)
    try await new.sync(with: hub)
  }

  /// Waits until a number of pairings have been answered.
  private static func waitForAnswers(_ count: Int, at hub: Store) async throws {
    while try messages(at: hub).count(where: { $0.step == 2 }) < count {
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  private static func messages(at hub: Store) throws -> [PairingEvent] {
    try hub.keptPayloads().compactMap { try? PairingEvent($0) }
  }

  @Test(
    "Pairings that were abandoned block no later one, whichever device starts first",
    arguments: [true, false])
  func abandoned(givesFirst: Bool) async throws {
    try await Self.withNewDevice { stores, new in
      let screens = Screens()
      let (phone, hub, clock) = (stores.phone, stores.hub, stores.clock)
      for _ in 1...5 { try await Self.abandonPairing(of: new, at: hub, clock) }
      let receiving = Task {
        if givesFirst { try await Self.waitForAnswers(1, at: hub) }
        try await new.receiveKeys(
          by: Self.dialog(new, with: hub, screens, own: "new", other: "old"))
      }
      if !givesFirst {
        while try Self.messages(at: hub).count < 6 { try await Task.sleep(for: .milliseconds(2)) }
      }
      try await phone.giveKeys(by: Self.dialog(phone, with: hub, screens, own: "old", other: "new"))
      try await receiving.value
      // The pairing that was answered first is ended by an empty message.
      let messages = try Self.messages(at: hub)
      let first = (1...5).map { _ in UInt8(1) }
      #expect(messages.map(\.step) == first + (givesFirst ? [2, 1, 4, 2, 3, 4] : [1, 2, 3, 4]))
      #expect(messages.count(where: \.message.isEmpty) == (givesFirst ? 1 : 0))
    }
  }

  @Test("A new device that gives up or is cancelled ends its pairing")
  func givesUp() async throws {
    try await Self.withNewDevice { stores, new in
      let screens = Screens()
      let hub = stores.hub
      let error = await #expect(throws: StoreError.self) {
        try await new.receiveKeys(
          by: Self.dialog(
            new, with: hub, screens, own: "new", other: "old", patience: .milliseconds(1)))
      }
      #expect(error?.code == .unreachable)
      let receiving = Task {
        try await new.receiveKeys(
          by: Self.dialog(new, with: hub, screens, own: "new", other: "old"))
      }
      while try Self.messages(at: hub).count < 3 { try await Task.sleep(for: .milliseconds(2)) }
      receiving.cancel()
      _ = await receiving.result
      let messages = try Self.messages(at: hub)
      #expect(messages.map(\.step) == [1, 4, 1, 4])
      #expect(messages.map(\.message.isEmpty) == [false, true, false, true])
    }
  }

  @Test("No key leaves a device if the new one ends the pairing while the words are typed")
  func endsWhileTyping() async throws {
    try await Self.withNewDevice { stores, new in
      let screens = Screens()
      let (phone, hub) = (stores.phone, stores.hub)
      let receiving = Task {
        try await new.receiveKeys(
          by: PairingDialog(
            sync: { _ = try await new.sync(with: hub) },
            show: { screens.show($0, on: "new") }, ask: { _ in throw CancellationError() }))
      }
      let error = await #expect(throws: StoreError.self) {
        try await phone.giveKeys(
          by: PairingDialog(
            sync: { _ = try await phone.sync(with: hub) },
            show: { screens.show($0, on: "old") },
            ask: { _ in
              _ = await receiving.result
              return try await screens.words(on: "new")
            }))
      }
      #expect(error?.code == .denied && error?.message.contains("ended") == true)
      let messages = try Self.messages(at: hub)
      #expect(messages.map(\.step) == [1, 2, 3, 4] && messages.last?.message == [])
    }
  }

  @Test("A device with the keys answers at most four pairings, so few guesses are possible")
  func fewAnswers() async throws {
    try await Self.withNewDevice { stores, new in
      let screens = Screens()
      let (phone, hub, clock) = (stores.phone, stores.hub, stores.clock)
      let giving = Task {
        try await phone.giveKeys(
          by: Self.dialog(phone, with: hub, screens, own: "old", other: "new"))
      }
      for count in 1...PairingDialog.maxAnswers {
        try await Self.abandonPairing(of: new, at: hub, clock)
        try await Self.waitForAnswers(count, at: hub)
      }
      try await Self.abandonPairing(of: new, at: hub, clock)
      let error = await #expect(throws: StoreError.self) { try await giving.value }
      #expect(error?.code == .denied)
      #expect(error?.message == "this device answered 4 pairings, and none went on")
      let messages = try Self.messages(at: hub)
      #expect(messages.count(where: { $0.step == 2 }) == 4)
      #expect(messages.count(where: \.message.isEmpty) == 4)
    }
  }
}
