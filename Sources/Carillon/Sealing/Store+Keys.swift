import CarillonLog
package import CarillonModel
import CarillonSQLite
package import CarillonSealing
import Foundation
import Logging
import Synchronization

extension Store {
  /// Whether this device reads the payloads: unless the store is sealed and it has no keys.
  package var hasContents: Bool {
    if case .withoutKeys = sealing { false } else { true }
  }

  /// The keys of a sealed store; nil for a plain one, and without keys.
  var keys: StoreKeys? {
    if case .sealed(let keys) = sealing { keys } else { nil }
  }

  /// The keys that open payloads as the log has them; nil for a plain store.
  ///
  /// Without keys, nothing opens.
  func openingKeys() throws -> KeyRing? {
    switch sealing {
    case .plain: nil
    case .withoutKeys: KeyRing(store: id)
    case .sealed(let keys): try keys.ring()
    }
  }

  /// What is known of erasures, for payloads as the log has them.
  var keptErasures: any HeldErasures {
    guard let keys else { return unopenedProjections }
    return OpenedErasures(erasures: unopenedProjections, log: keptLog, keys: keys)
  }

  /// Does what new keys, or the lack of one, require: applies events that could not be opened,
  /// states this device's key, and starts an epoch if there is none to write in.
  func useNewKeys() async throws {
    guard let keys else { return }
    let ring = try keys.ring()
    let opened = keys.unopened.filter { ring[$0] != nil }
    if !opened.isEmpty {
      if try keptLog.projectionGeneration() > 0 {
        _ = try await unopenedProjections.rebuild()
        lastActivity.withLock { $0 = nil }
      }
      try keys.noteOpened(opened)
    }
    // The announcement of a new identity, which comes before its first event, reads them.
    if try !keptLog.identity().isAnnounced { _ = try await projections }
    do {
      if keys.epochs.writing == nil { try await startEpoch() }
      if !keys.epochs.isMember, try !keptLog.branches().isEmpty { try await stateDeviceKey() }
    } catch let error as LogError where [.readOnly, .full].contains(error.code) {
      // What is in the log can still be read.
      logger.warning("this device cannot state its key: \(error.message)")
    }
  }

  /// Records the public key of this device, which the next epochs then include.
  private func stateDeviceKey() async throws {
    guard let keys else { return }
    let statement = NewEvent(payload: keys.epochs.device.publicKey.statement)
    _ = try await keptLog.record([statement], wallClock: options.clock(), expecting: nil)
    try keys.refresh()
  }

  /// Starts an epoch, whose key is durable before any event needs it.
  @discardableResult
  private func startEpoch(
    revoking revoked: Set<DevicePublicKey> = []
  ) async throws -> KeyEpoch {
    guard let keys else { throw StoreError.missingKeys(of: id) }
    try keys.refresh()
    let (start, key) = try keys.epochs.start(revoking: revoked)
    var added = KeyRing(store: id)
    try added.add(key)
    try keys.add(added)
    _ = try await keptLog.record(
      [NewEvent(payload: start.payload)], wallClock: options.clock(), expecting: nil)
    try keys.refresh()
    return start.epoch
  }

  /// Saves that no new store may replace the keys of this one, which is complete.
  func keepKeys() {
    do {
      try keys?.keep()
    } catch {
      logger.warning("the keys of the store may be replaced if its log is lost: \(error)")
    }
  }

  // MARK: - Revoking

  /// Revokes the device of a replica: what is written from now on is sealed with a key that it does
  /// not get.
  ///
  /// It keeps what it has, and reads what other devices write until they have synced.
  ///
  /// - Returns: The new epoch; nil if the store is plain, or if the replica stated no key.
  /// - Throws: `invalidValue` for this device itself; `missingKeys`, and the errors of the log.
  package func revokeDevice(of replica: ReplicaID) async throws(StoreError) -> KeyEpoch? {
    try await StoreError.translating {
      if case .plain = self.sealing { return nil }
      guard let keys = self.keys else { throw StoreError.missingKeys(of: self.id) }
      try keys.refresh()
      let epochs = keys.epochs
      guard let device = epochs.devices[replica] else { return nil }
      guard device != epochs.device.publicKey else {
        throw StoreError(
          code: .invalidValue, message: "this device cannot revoke itself",
          hint: "revoke it on another device")
      }
      guard !epochs.revoked.contains(device) else { return epochs.writing }
      return try await self.startEpoch(revoking: [device])
    }
  }

  /// Revokes the device of the replica with a display name or an ID, except this one.
  ///
  /// - Returns: The text of the new epoch; nil if the store is plain, or if no such replica stated
  ///   the key of a device.
  /// - Throws: `ambiguous` if several devices have the name, and as ``revokeDevice(of:)``.
  package func revokeDevice(named name: String) async throws -> String? {
    guard isSealed else { return nil }
    let own = try log.identity().device
    // Of several devices with one name, the list gives only one that name.
    let described = try await read { try $0.reader.devices() }
    let named = try await replicas().filter {
      $0.replica != own
        && [$0.name, described[$0.replica]?.name, $0.replica.description].contains(name)
    }
    let known = keys?.epochs.devices ?? [:]
    let found = named.filter { known[$0.replica] != nil }
    guard Set(found.map { known[$0.replica] }).count <= 1 else {
      throw StoreError(
        code: .ambiguous, message: "several devices are named \(name)",
        hint: "give the ID of one: "
          + found.map(\.replica.description).joined(separator: ", "))
    }
    guard let replica = found.first?.replica else { return nil }
    return try await revokeDevice(of: replica)?.description
  }

  // MARK: - Asking

  /// The epoch with whose key this device seals; nil for a plain store, and without keys.
  package var sealingEpoch: KeyEpoch? { keys?.epochs.writing }

  /// Problems with the keys that need a person's attention, one sentence each.
  package var sealingHealth: [String] {
    guard let keys else { return [] }
    let epochs = keys.epochs
    guard !isLeftOut else {
      return [
        "another device started an epoch without this one, which was probably revoked: newer "
          + "events cannot be read here; for a device that returns, make a new replica, in a new "
          + "directory; if no other device revoked this one, a hub has forged that"
      ]
    }
    return keys.unopened.filter { epochs.ring[$0] == nil }.sorted().map {
      "events of the epoch \($0) cannot be opened, since its key is not on this device; sync with "
        + "the other devices"
    }
  }

  /// Whether the log lacks the start of the sealed store whose keys are here.
  var lacksStart: Bool { keys.map { !$0.epochs.hasStart } ?? false }

  /// Whether another device of a sealed store started an epoch without this one, as a revocation
  /// does.
  package var isLeftOut: Bool { keys?.epochs.isLeftOut == true }

  /// Whether the store is sealed.
  package var isSealed: Bool {
    if case .plain = sealing { false } else { true }
  }

  /// The keys of the store, for another device; nil for a plain store, and without keys.
  package func ring() throws(StoreError) -> KeyRing? {
    try StoreError.translating { try self.keys?.ring() }
  }
}
