import CarillonModel
import CarillonSealing
import Foundation

/// What the pairing of two devices needs of its caller.
///
/// Messages travel as events, so both devices sync with the same place. `protocol/SEALED.md`,
/// section 6, says why six words suffice.
package struct PairingDialog: Sendable {
  /// Syncs once with the place where the other device also syncs.
  let sync: @Sendable () async throws -> Void
  /// Shows three words, which the person types on the other device.
  let show: @Sendable ([String]) -> Void
  /// Returns the three words of the other device that the person types; the parameter is what was
  /// wrong with those typed before, if any.
  let ask: @Sendable (String?) async throws -> String
  /// How long to wait for the other device.
  let patience: Duration

  package init(
    patience: Duration = .seconds(600), sync: @escaping @Sendable () async throws -> Void,
    show: @escaping @Sendable ([String]) -> Void,
    ask: @escaping @Sendable (String?) async throws -> String
  ) {
    (self.patience, self.sync, self.show, self.ask) = (patience, sync, show, ask)
  }

  /// The time between two syncs.
  static let pause = Duration.milliseconds(500)

  /// Asks for words until all are of the list.
  fileprivate func words() async throws -> PairingWords {
    var problem: String?
    while true {
      let text = try await ask(problem)
      do throws(SealingError) {
        return try PairingWords(text)
      } catch {
        problem = error.message + (error.hint.map { "; \($0)" } ?? "")
      }
    }
  }
}

extension Store {
  /// Receives the keys of a sealed store from a device that has them, and saves them.
  ///
  /// Close this store then, and open it again.
  ///
  /// - Throws: `denied` if the words differ, `unreachable` if the other device does not answer in
  ///   time, and the errors of the dialog.
  package func receiveKeys(by dialog: PairingDialog) async throws {
    do {
      let joiner = PairingJoiner()
      let first = PairingEvent(starting: joiner.commitment)
      var pairing = try await Pairing(first, of: self, dialog)
      let answered = try joiner.receive(try await pairing.next())
      try await pairing.send(answered.opening)
      dialog.show(answered.words)
      let words = try await dialog.words()
      let ring = try answered.finish(try await pairing.next(), words: words)
      try StoreKeys(ring, in: directory, isKept: true).save()
    } catch let error as SealingError {
      throw StoreError(sealing: error)
    }
  }

  /// Gives the keys of this sealed store to a new device.
  ///
  /// - Throws: As ``receiveKeys(by:)``. No key has left this device then.
  package func giveKeys(by dialog: PairingDialog) async throws {
    guard let ring = try ring() else { throw StoreError.missingKeys(of: id) }
    var pairing = try await Pairing(joining: self, dialog)
    let holder = try PairingHolder(pairing.last.message, sharing: ring)
    try await pairing.send(holder.answer)
    do {
      let opened = try holder.receive(try await pairing.next())
      let (sealed, words) = try opened.confirm(try await dialog.words())
      try await pairing.send(sealed)
      dialog.show(words)
    } catch {
      // The other device need not wait for the keys.
      try? await pairing.send([], step: 4)
      throw (error as? SealingError).map { StoreError(sealing: $0) } ?? error
    }
  }
}

/// A pairing that goes on: its messages, which are events of the log.
private struct Pairing {
  let store: Store
  let dialog: PairingDialog
  /// The last message that was sent or received.
  private(set) var last: PairingEvent

  /// Starts a pairing.
  init(_ first: PairingEvent, of store: Store, _ dialog: PairingDialog) async throws {
    (self.store, self.dialog, last) = (store, dialog, first)
    try await send(first.message, step: 1)
  }

  /// Waits for a new device that starts a pairing, or has started one just now.
  init(joining store: Store, _ dialog: PairingDialog) async throws {
    (self.store, self.dialog) = (store, dialog)
    let oldest = store.options.clock().milliseconds - dialog.patience.components.seconds * 1_000
    last = try await Self.wait(dialog) {
      var found: [[UInt8]: PairingEvent] = [:]
      try store.keptLog.scan(after: store.recentPosition()) { event in
        guard event.id.timestamp.milliseconds >= oldest, let message = PairingEvent(of: event)
        else { return true }
        // The last message says whether somebody answered already.
        found[message.pairing] = message
        return true
      }
      return found.values.first { $0.step == 1 }
    }
  }

  /// Sends a message to the other device.
  mutating func send(_ message: [UInt8], step: UInt8? = nil) async throws {
    last = last.with(message, step: step ?? last.step + 1)
    let event = NewEvent(payload: last.payload)
    _ = try await store.keptLog.record(
      [event], wallClock: store.options.clock(), expecting: nil)
    try await dialog.sync()
  }

  /// Waits for the next message of the other device.
  mutating func next() async throws -> [UInt8] {
    let (store, last) = (self.store, self.last)
    self.last = try await Self.wait(dialog) {
      var found: PairingEvent?
      try store.keptLog.scan(after: store.recentPosition()) { event in
        guard let message = PairingEvent(of: event), message.pairing == last.pairing,
          message.step == last.step + 1 || message.message.isEmpty
        else { return true }
        found = message
        return false
      }
      return found
    }
    guard !self.last.message.isEmpty else {
      throw StoreError(
        code: .denied, message: "the other device ended the pairing",
        hint: "start it again on both")
    }
    return self.last.message
  }

  private static func wait(
    _ dialog: PairingDialog, for find: () throws -> PairingEvent?
  ) async throws -> PairingEvent {
    let end = ContinuousClock.now + dialog.patience
    while true {
      try await dialog.sync()
      if let found = try find() { return found }
      guard ContinuousClock.now < end else {
        throw StoreError(
          code: .unreachable, message: "the other device did not answer in time",
          hint: "start the pairing on both devices, with the same place to sync with")
      }
      try await Task.sleep(for: PairingDialog.pause)
    }
  }
}

extension Store {
  /// The number of events at the end of the log among which the messages of a pairing are.
  private static let recentCount: UInt64 = 16_384

  fileprivate func recentPosition() throws -> LogPosition {
    let last = try keptLog.lastPosition().rawValue
    return LogPosition(rawValue: last - min(last, Self.recentCount))
  }
}

extension PairingEvent {
  /// The message that an event brings; nil for any other event.
  fileprivate init?(of event: RawEvent) {
    guard Envelope.form(of: event.payload) == .pairing else { return nil }
    try? self.init([UInt8](event.payload))
  }
}
