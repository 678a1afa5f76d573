import CarillonLog
public import CarillonModel
import CarillonSQLite
import CarillonSealing
public import Foundation

extension Store {
  /// Creates a sealed store in an absent or empty directory: whoever else keeps or forwards its
  /// events, such as a hub, cannot read them.
  ///
  /// The keys are in the store's directory, where only the owner can read them. If they are lost
  /// with the last device, the recovery phrase opens a backup or another replica. It is returned
  /// once, and kept nowhere. Without it, nobody can help.
  ///
  /// - Returns: The open store, and the 24 words of its recovery phrase.
  /// - Throws: As ``create(at:replica:role:storeID:storage:options:)``.
  public static func createSealed(
    at directory: URL, replica: String, role: Device.Role = .phone, storage: Storage = .standard,
    options: StoreOptions = StoreOptions()
  ) async throws(StoreError) -> (store: Store, recoveryPhrase: [String]) {
    let first = try StoreError.translating { try firstEvent(of: replica, role, options) }
    return try await createSealed(at: directory, storage: storage, options: options) { store in
      _ = try await store.log.record([first], wallClock: options.clock(), expecting: nil)
    }
  }

  /// Creates a sealed store with its first epoch, which no other process can open yet, fills it,
  /// and then publishes it.
  static func createSealed(
    at directory: URL, storage: Storage, options: StoreOptions,
    filling fill: (Store) async throws -> Void
  ) async throws(StoreError) -> (store: Store, recoveryPhrase: [String]) {
    let phrase = RecoveryPhrase()
    let (keys, start) = try StoreError.translating {
      try StoreKeys.first(of: .random(), for: phrase, in: directory)
    }
    let store = try await make(
      at: directory, keys.store, storage, options, .sealed(keys)
    ) { store in
      let events = [start, keys.statement]
      _ = try await store.log.record(events, wallClock: options.clock(), expecting: nil)
      try await fill(store)
    }.store
    return (store, phrase.words)
  }

  /// Creates a sealed store with the history of this plain one.
  ///
  /// The new store has its own ID. Its events are those of this store, at the same times and by the
  /// same replicas, under new IDs. This store does not change: what it sent plainly to others stays
  /// readable to them.
  ///
  /// - Returns: The open store, its recovery phrase, and the number of events.
  /// - Throws: `invalidValue` if this store is sealed, or if a payload is too large to be sealed;
  ///   the errors of ``createSealed(at:replica:role:storage:options:)``.
  package func seal(
    to directory: URL, storage: Storage = .standard,
    progress: @escaping @Sendable (RebuildProgress) -> Void = { _ in }
  ) async throws(StoreError) -> (store: Store, recoveryPhrase: [String], eventCount: Int) {
    guard !isSealed else {
      throw StoreError(
        code: .invalidValue, message: "the store in \(self.directory.path) is sealed already",
        hint: "use it as it is")
    }
    let count = Locked(0)
    let options = options
    let (store, phrase) = try await Self.createSealed(
      at: directory, storage: storage, options: options
    ) { store in
      guard let ring = try store.ring() else { return }
      var history = try SealedHistory(of: self.keptLog, to: store.keptLog, ring)
      count.set(
        try await history.write(wallClock: options.clock()) { done, total in
          progress(RebuildProgress(done: UInt64(done), total: UInt64(total)))
        })
      let projections = try await store.projections
      _ = try await projections.sweep()
      let identity = ReplicaIdentity(
        replica: try store.log.identity().replica, predecessor: try self.log.identity().device,
        isAnnounced: false)
      let announcement = try NewIdentity.payloads(
        of: identity, projections: projections, options: options)
      _ = try await store.log.record(announcement, wallClock: options.clock(), expecting: nil)
    }
    return (store, phrase, count.value)
  }

  /// Brings the keys of a sealed store back with its recovery phrase.
  ///
  /// The directory has a replica without keys, such as one that was restored from a backup. The
  /// device becomes a new one, which can read and write. It keeps the name, role, switches and
  /// permission of the replica, or of the device that was backed up.
  ///
  /// - Parameters:
  ///   - directory: The store's directory.
  ///   - phrase: The 24 words, separated by white space.
  ///   - replica: The name of the replica; nil for the one to keep, or else `recovered`.
  ///   - role: The kind of device; nil for the one to keep, or else a phone.
  ///   - options: Clock and zone.
  /// - Returns: The open store.
  /// - Throws: `invalidValue` if the words are not a phrase, `missingKeys` if they are that of
  ///   another store, or if the start of the store's first epoch is missing; `alreadyExists` if the
  ///   keys are there; the errors of ``open(at:options:)``.
  public static func recover(
    at directory: URL, phrase: String, replica: String? = nil, role: Device.Role? = nil,
    options: StoreOptions = StoreOptions()
  ) async throws(StoreError) -> Store {
    try await recover(
      at: directory, phrase: phrase, replica: replica, role: role, otherwise: "recovered",
      options: options)
  }

  /// Brings the keys of a sealed store back with its recovery phrase.
  ///
  /// - Parameter name: The name of the replica if none is given and there is none to keep.
  package static func recover(
    at directory: URL, phrase: String, replica: String?, role: Device.Role?,
    otherwise name: String, options: StoreOptions
  ) async throws(StoreError) -> Store {
    let phrase = try StoreError.translating { try RecoveryPhrase(phrase) }
    let ring = try await withoutKeys(at: directory, options) { store in
      var found = Epochs(ring: KeyRing(store: store.id), device: try phrase.deviceKey)
      try found.read(store.keptLog)
      guard found.ring.newest != nil || found.hasFirstStart else {
        throw StoreError(
          code: .missingKeys,
          message: "the log lacks the start of the sealed store, which the phrase opens",
          hint: "sync with another replica or restore another backup, which has that event, and "
            + "recover the store then")
      }
      return found.ring
    }
    guard ring.newest != nil else {
      throw StoreError(
        code: .missingKeys, message: "the recovery phrase is not that of this store",
        hint: "compare each word with what was written down; the phrase of another store does not "
          + "open this one")
    }
    try StoreError.translating { try StoreKeys(ring, in: directory, isKept: true).save() }
    return try await openFirst(
      at: directory, replica: replica, role: role, otherwise: name, options)
  }

  /// Opens a sealed store that has no keys.
  private static func withoutKeys<Result>(
    at directory: URL, _ options: StoreOptions, _ body: (Store) async throws -> Result
  ) async throws(StoreError) -> Result {
    var lacking = options
    lacking.mayLackKeys = true
    let store = try await open(at: directory, options: lacking)
    return try await StoreError.translating {
      try await store.closing { store in
        guard store.isSealed else {
          throw StoreError(
            code: .invalidValue, message: "the store in \(directory.path) is not sealed",
            hint: "it can be read as it is")
        }
        guard store.keys == nil else {
          throw StoreError(
            code: .alreadyExists, message: "the keys of the store are in \(directory.path) already",
            hint: "use the store as it is")
        }
        return try await body(store)
      }
    }
  }

  /// Opens a replica that has just got its keys, and describes its device if nothing does.
  ///
  /// - Parameters:
  ///   - replica: The name of the replica; nil for the one that it or its predecessor has.
  ///   - role: The kind of device; nil for that of the replica or its predecessor.
  ///   - name: The name if none is given and there is none to keep.
  package static func openFirst(
    at directory: URL, replica: String?, role: Device.Role?, otherwise name: String,
    _ options: StoreOptions
  ) async throws(StoreError) -> Store {
    let store = try await open(at: directory, options: options)
    do {
      try await StoreError.translating {
        try await store.describeDevice(as: replica, role, otherwise: name)
      }
      return store
    } catch {
      await store.close()
      throw error
    }
  }

  /// Describes the device of a replica that has just got its keys.
  private func describeDevice(
    as name: String?, _ role: Device.Role?, otherwise fallback: String
  ) async throws {
    let identity = try log.identity()
    let projections = try await projections
    let (own, predecessor) = try await projections.read { reader in
      (
        try reader.device(identity.device)?.description,
        try identity.predecessor.flatMap { try reader.device($0)?.description }
      )
    }
    guard let known = own ?? predecessor else {
      let first = try Self.firstEvent(of: name ?? fallback, role ?? .phone, options)
      _ = try await log.record([first], wallClock: options.clock(), expecting: nil)
      return
    }
    var events: [NewEvent] = []
    if own == nil {
      events = try NewIdentity.payloads(of: identity, projections: projections, options: options)
    }
    var change = DeviceSet(device: identity.replica)
    if let name, name != known.name { change.name = name.precomposedStringWithCanonicalMapping }
    if let role, role != known.role { change.role = role }
    if change != DeviceSet(device: identity.replica) {
      events.append(try NewEvent(.deviceSet(change), at: options.clock()))
    }
    guard !events.isEmpty else { return }
    _ = try await log.record(events, wallClock: options.clock(), expecting: nil)
  }

  /// Prepares the keys of a store that is being created.
  ///
  /// - Returns: Whether it wrote new keys, which are to be removed if the creation fails.
  /// - Throws: `alreadyExists` if the directory has keys that were received, or those of a store
  ///   that is not there any more.
  static func prepareKeys(_ sealing: Sealing, in directory: URL) throws -> Bool {
    if case .sealed(let keys) = sealing, keys.isKept { return false }
    guard try KeyFile.read(in: directory)?.isKept != true else {
      throw StoreError(
        code: .alreadyExists,
        message: "\(KeyFile.path(in: directory)) has the keys of a store",
        hint: "clone or restore that store here, or choose another directory")
    }
    guard case .sealed(let keys) = sealing else {
      KeyFile.remove(in: directory)
      return false
    }
    try keys.save()
    return true
  }
}

extension Sealing {
  /// The first events of a new replica, before the description of its device.
  var firstEvents: [NewEvent] {
    if case .sealed(let keys) = self { [keys.statement] } else { [] }
  }

  /// The sealing of a new replica of a store, which has the keys that the store or the new
  /// directory has.
  ///
  /// - Parameters:
  ///   - store: The ID of the store.
  ///   - ring: The keys that the other replica passes on.
  init(cloning store: StoreID, _ ring: KeyRing?, to directory: URL, isSealed: Bool) throws {
    if let received = try StoreKeys(of: store, in: directory), received.isKept {
      self = .sealed(received)
    } else if let ring {
      self = .sealed(StoreKeys(ring, in: directory))
    } else {
      self = isSealed ? .withoutKeys : .plain
    }
  }
}

extension StoreKeys {
  /// Creates the first key of a store, and the start of its epoch.
  ///
  /// The recovery phrase starts it, so that whoever recovers the store can trust it.
  static func first(
    of store: StoreID, for phrase: RecoveryPhrase, in directory: URL?
  ) throws(SealingError) -> (keys: StoreKeys, start: NewEvent) {
    let (device, author) = (DeviceKey(), try phrase.deviceKey)
    var ring = KeyRing(store: store)
    let key = ring.next()
    try ring.add(key)
    let start = try EpochStart(of: key, by: author, to: [author.publicKey, device.publicKey])
    return (
      StoreKeys(ring, device: device, in: directory), NewEvent(payload: start.payload)
    )
  }

  /// The statement of this device's public key.
  var statement: NewEvent { NewEvent(payload: epochs.device.publicKey.statement) }

  /// The store whose keys these are.
  var store: StoreID { epochs.ring.store }
}

extension Epochs {
  /// Reads all events about keys of a log.
  mutating func read(_ log: any EventReader) throws {
    var position = LogPosition.start
    var known = -1
    // A key that comes late opens statements that were passed.
    while ring.epochs.count > known {
      (known, position) = (ring.epochs.count, .start)
      var isComplete = false
      while !isComplete {
        let batch = try EventsAboutKeys(in: log, after: position, limit: 16_384)
        for (_, event) in batch.events { note(event) }
        guard let last = batch.last else { break }
        (position, isComplete) = (last.position, batch.isComplete)
      }
    }
  }

  /// Notes an event that may be about keys, and returns whether it is.
  @discardableResult
  mutating func note(_ event: StoredEvent) -> Bool {
    if let start = try? EpochStart(event.payload) {
      note(start)
      return true
    }
    guard (try? PairingEvent(event.payload)) == nil else { return true }
    guard let sealed = try? SealedPayload(event.payload),
      let opened = try? ring.open(event.payload, at: SealedPlace(of: event, in: ring.store)),
      let key = try? DevicePublicKey(statement: opened)
    else { return false }
    note(key, of: event.replica, under: sealed.epoch)
    return true
  }
}
