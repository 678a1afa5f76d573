package import CarillonModel

/// The epochs of a store and their members, as one device learns them from the log.
///
/// A device passes on every start of an epoch and every statement of a device's key, in order of
/// arrival. `protocol/SEALED.md`, section 4, has the rules.
package struct Epochs: Sendable {
  /// The keys that this device holds.
  package private(set) var ring: KeyRing
  /// This device, or the recovery phrase.
  package let device: DeviceKey
  /// The public keys that a start that counts revoked.
  package private(set) var revoked: Set<DevicePublicKey> = []
  /// The device whose key each replica stated last.
  package private(set) var devices: [ReplicaID: DevicePublicKey] = [:]
  /// The members of each epoch whose key is held.
  private var members: [KeyEpoch: Members] = [:]
  /// The epochs whose starts count.
  private var counting: Set<KeyEpoch> = []
  /// The starts that could not be opened yet, in order of arrival.
  private var waiting: [EpochStart] = []

  private struct Members {
    var recipients: Set<DevicePublicKey> = []
    /// The devices that stated their keys under the epoch's key.
    var stated: Set<DevicePublicKey> = []

    var all: Set<DevicePublicKey> { recipients.union(stated) }
  }

  /// - Parameters:
  ///   - ring: The keys that are held already. Without any, only the phrase's own start is trusted.
  ///   - device: This device, or the recovery phrase.
  package init(ring: KeyRing, device: DeviceKey) {
    (self.ring, self.device) = (ring, device)
  }

  // MARK: - Learning

  /// Adds keys that this device received by another way than the log.
  package mutating func add(_ keys: KeyRing) throws(SealingError) {
    for epoch in keys.epochs {
      if let key = keys[epoch] { try ring.add(key) }
    }
    settle()
  }

  /// Notes the start of an epoch.
  package mutating func note(_ start: EpochStart) {
    waiting.append(start)
    settle()
  }

  /// Notes that a replica stated the key of its device, in a payload that was opened.
  package mutating func note(
    _ key: DevicePublicKey, of replica: ReplicaID, under epoch: KeyEpoch
  ) {
    devices[replica] = key
    members[epoch, default: Members()].stated.insert(key)
    settle()
  }

  /// Accepts the waiting starts that can be opened now.
  private mutating func settle() {
    while let index = waiting.indices.first(where: { isSettled(by: waiting[$0]) }) {
      waiting.remove(at: index)
    }
  }

  /// Returns false if the start has to wait.
  private mutating func isSettled(by start: EpochStart) -> Bool {
    guard let key = ring[start.epoch] ?? granted(by: start) else { return false }
    // Whoever does not have the key cannot confirm the start.
    guard (try? start.check(with: key)) != nil else { return true }
    guard let newest else {
      guard start.isFirst else { return false }
      accept(start, key)
      counting.insert(start.epoch)
      return true
    }
    accept(start, key)
    if isMember(start.author, of: newest), !revoked.contains(start.author) {
      counting.insert(start.epoch)
      revoked.formUnion(start.revoked)
    }
    return true
  }

  private mutating func accept(_ start: EpochStart, _ key: SealingKey) {
    try? ring.add(key)
    members[start.epoch, default: Members()].recipients = Set(start.recipients)
  }

  /// Returns the key that a start grants to this device; nil if its author may not grant one.
  private func granted(by start: EpochStart) -> SealingKey? {
    let own: Set<DevicePublicKey> = ring.epochs.isEmpty ? [device.publicKey] : []
    let authors = members.values.reduce(own) { $0.union($1.all) }
    return try? start.key(for: device, of: ring.store, trusting: authors)
  }

  // MARK: - Asking

  /// The greatest epoch that counts.
  private var newest: KeyEpoch? { counting.max() }

  /// Whether a start was noted that begins a store, by whatever phrase.
  package var hasFirstStart: Bool { hasStart || waiting.contains(where: \.isFirst) }

  /// Whether the log has the start of an epoch that counts, as the log of every sealed store has.
  package var hasStart: Bool { !counting.isEmpty }

  private func isMember(_ device: DevicePublicKey, of epoch: KeyEpoch) -> Bool {
    members[epoch].map { $0.recipients.contains(device) || $0.stated.contains(device) } ?? false
  }

  /// The epoch with whose key this device seals; nil if a new one must start.
  ///
  /// Until the log has the start of an epoch, it is the greatest that this device received.
  package var writing: KeyEpoch? {
    guard !counting.isEmpty else { return ring.newest?.epoch }
    return counting.sorted().last { epoch in
      members[epoch].map { $0.all.isDisjoint(with: revoked) } ?? false
    }
  }

  /// The devices that may read what is sealed with the greatest epoch that counts, without those
  /// that were revoked.
  package var readers: Set<DevicePublicKey> {
    (newest.flatMap { members[$0]?.all } ?? []).subtracting(revoked)
  }

  /// Whether the device of a replica was revoked.
  package func isRevoked(_ replica: ReplicaID) -> Bool {
    devices[replica].map(revoked.contains) ?? false
  }

  /// Whether this device is a member of the epoch with whose key it seals.
  package var isMember: Bool { writing.map { isMember(device.publicKey, of: $0) } ?? false }

  /// Whether a member started an epoch whose key this device cannot get, as after its revocation.
  package var isLeftOut: Bool {
    guard let newest else { return false }
    return waiting.contains {
      $0.epoch > newest && isMember($0.author, of: newest) && !revoked.contains($0.author)
    }
  }

  /// Creates the start of the next epoch, for all readers but some, and returns it with its key.
  ///
  /// - Throws: `invalidKeys` if the ring is full, or if there are too many devices.
  package func start(
    revoking revoked: Set<DevicePublicKey> = []
  ) throws(SealingError) -> (start: EpochStart, key: SealingKey) {
    let key = ring.next()
    var ring = ring
    try ring.add(key)
    let start = try EpochStart(
      of: key, by: device, to: readers.union([device.publicKey]).subtracting(revoked),
      revoking: revoked)
    return (start, key)
  }
}

extension EpochStart {
  /// Whether it begins a store: its author, which is the recovery phrase, is a recipient.
  fileprivate var isFirst: Bool { epoch.number == 1 && recipients.contains(author) }
}
