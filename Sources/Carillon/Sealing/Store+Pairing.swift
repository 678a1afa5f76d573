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
    patience: Duration = usualPatience, sync: @escaping @Sendable () async throws -> Void,
    show: @escaping @Sendable ([String]) -> Void,
    ask: @escaping @Sendable (String?) async throws -> String
  ) {
    (self.patience, self.sync, self.show, self.ask) = (patience, sync, show, ask)
  }

  /// How long a device waits for the other one, unless the caller says otherwise.
  package static let usualPatience = Duration.seconds(600)
  /// The maximum number of started pairings that a device with the keys answers in one call.
  ///
  /// More than 1, since a new device that was stopped leaves a start. Few, since each answer lets
  /// somebody in the middle guess the first three words once.
  package static let maxAnswers = 4
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
    let joiner = PairingJoiner()
    var pairing = Pairing(PairingEvent(starting: joiner.commitment), of: self, dialog)
    do {
      try await pairing.send(pairing.last.message, step: 1)
      let answered = try joiner.receive(try await pairing.next())
      try await pairing.send(answered.opening)
      dialog.show(answered.words)
      let words = try await dialog.words()
      let ring = try answered.finish(try await pairing.next(), words: words)
      try StoreKeys(ring, in: directory, isKept: true).save()
    } catch {
      await pairing.end()
      throw (error as? SealingError).map { StoreError(sealing: $0) } ?? error
    }
  }

  /// Gives the keys of this sealed store to a new device.
  ///
  /// Answers the newest started pairing. If a newer one is started before the new device goes on
  /// with that, the newer one is answered, at most ``PairingDialog/maxAnswers`` in all.
  ///
  /// - Throws: As ``receiveKeys(by:)``. No key has left this device then.
  package func giveKeys(by dialog: PairingDialog) async throws {
    guard let ring = try ring() else { throw StoreError.missingKeys(of: id) }
    var start: EventID?
    for _ in 0..<PairingDialog.maxAnswers {
      var pairing: Pairing
      (pairing, start) = try await Pairing.joining(self, after: start, dialog)
      do {
        let holder = try PairingHolder(pairing.last.message, sharing: ring)
        try await pairing.send(holder.answer)
        guard let opening = try await pairing.opening(unlessStartedAfter: start) else { continue }
        let opened = try holder.receive(opening)
        let words = try await dialog.words()
        try await pairing.requireNoEnd()
        let (sealed, own) = try opened.confirm(words)
        try await pairing.send(sealed)
        return dialog.show(own)
      } catch {
        await pairing.end()
        throw (error as? SealingError).map { StoreError(sealing: $0) } ?? error
      }
    }
    throw StoreError(
      code: .denied,
      message: "this device answered \(PairingDialog.maxAnswers) pairings, and none went on",
      hint: "start the pairing again on both devices")
  }
}

/// A pairing that goes on: its messages, which are events of the log.
private struct Pairing {
  let store: Store
  let dialog: PairingDialog
  /// The last message that was sent or received.
  private(set) var last: PairingEvent

  /// Creates a pairing, whose first message is not sent yet.
  init(_ first: PairingEvent, of store: Store, _ dialog: PairingDialog) {
    (self.store, self.dialog, last) = (store, dialog, first)
  }

  /// Waits for a new device that starts a pairing, or has started one just now.
  ///
  /// - Parameter start: The event that started the pairing before, if any.
  /// - Returns: The newest pairing, and the event that started it.
  static func joining(
    _ store: Store, after start: EventID?, _ dialog: PairingDialog
  ) async throws -> (Pairing, EventID) {
    let (id, first) = try await wait(dialog) {
      try store.newestPairing(after: start, within: dialog.patience)
    }
    return (Pairing(first, of: store, dialog), id)
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
    self.last = try await Self.wait(dialog) { try store.pairingMessage(after: last) }
    guard !self.last.message.isEmpty else { throw Self.ended }
    return self.last.message
  }

  /// Waits for the third message.
  ///
  /// - Returns: nil if the new device ended this pairing, or another one was started after `start`.
  ///   This pairing is then over.
  mutating func opening(unlessStartedAfter start: EventID?) async throws -> [UInt8]? {
    let (store, dialog, last) = (self.store, self.dialog, self.last)
    let found = try await Self.wait(dialog) {
      try store.pairingMessage(after: last)
        ?? store.newestPairing(after: start, within: dialog.patience)?.first
    }
    guard found.pairing == last.pairing else {
      await end()
      return nil
    }
    self.last = found
    return found.message.isEmpty ? nil : found.message
  }

  /// Syncs, and requires that the other device has not ended this pairing.
  mutating func requireNoEnd() async throws {
    try await dialog.sync()
    guard let next = try store.pairingMessage(after: last), next.message.isEmpty else { return }
    last = next
    throw Self.ended
  }

  /// Ends this pairing unless it is over, so that the other device need not wait.
  ///
  /// Also runs in a task that was cancelled, such as by Ctrl-C.
  func end() async {
    guard last.step < 4, !last.message.isEmpty else { return }
    let ending = Task {
      var pairing = self
      try await pairing.send([], step: 4)
    }
    try? await ending.value
  }

  private static var ended: StoreError {
    StoreError(
      code: .denied, message: "the other device ended the pairing", hint: "start it again on both")
  }

  private static func wait<Found>(
    _ dialog: PairingDialog, for find: () throws -> Found?
  ) async throws -> Found {
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

  /// Returns the newest pairing that was started and has no other message.
  ///
  /// - Parameters:
  ///   - start: The event after which it was started; nil for any.
  ///   - age: The maximum time since it was started.
  fileprivate func newestPairing(
    after start: EventID?, within age: Duration
  ) throws -> (id: EventID, first: PairingEvent)? {
    let oldest = options.clock().milliseconds - age.components.seconds * 1_000
    var started: [[UInt8]: (id: EventID, first: PairingEvent)] = [:]
    var goingOn: Set<[UInt8]> = []
    try keptLog.scan(after: recentPosition()) { event in
      guard let message = PairingEvent(of: event) else { return true }
      if message.step != 1 || message.message.isEmpty {
        goingOn.insert(message.pairing)
      } else if event.id.timestamp.milliseconds >= oldest, start.map({ event.id > $0 }) ?? true {
        started[message.pairing] = (event.id, message)
      }
      return true
    }
    return started.values.filter { !goingOn.contains($0.first.pairing) }.max { $0.id < $1.id }
  }

  /// Returns the message that follows one of the same pairing, or that ends the pairing; nil if
  /// there is none yet.
  fileprivate func pairingMessage(after last: PairingEvent) throws -> PairingEvent? {
    var found: PairingEvent?
    try keptLog.scan(after: recentPosition()) { event in
      guard let message = PairingEvent(of: event), message.pairing == last.pairing,
        message.step == last.step + 1 || message.message.isEmpty
      else { return true }
      found = message
      return false
    }
    return found
  }

  private func recentPosition() throws -> LogPosition {
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
