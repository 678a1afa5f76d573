import CarillonLog
import CarillonModel
import CarillonSealing
import Foundation
import Synchronization

/// The keys of an open sealed store: they seal what this device writes, and open what it reads.
///
/// Keys come with events, so every use first reads the events about keys that the log has in the
/// meantime. The log is the source: what the file has besides keys saves reading it from the start.
final class StoreKeys: PayloadSealer {
  private let directory: URL?
  private let state: Mutex<State>

  fileprivate struct State {
    var epochs: Epochs
    var file: KeyFile
    var unopened: Set<KeyEpoch>
    /// The erasure lists that were read.
    var erasureLists: [ErasureList] = []
    /// The log, which retains this object.
    weak var log: (any LogAdapter & AnyObject)?
  }

  /// The number of events after which the file is written again, so that opening a store reads few.
  private static let eventsPerFile: Int64 = 4_096
  /// The number of events that are read at once.
  private static let eventsPerBatch = 4_096

  /// Creates the keys of a new device.
  ///
  /// - Parameters:
  ///   - ring: The keys of the store.
  ///   - device: The key pair of the device.
  ///   - directory: The store's directory; nil keeps the keys in memory.
  ///   - isKept: Whether no new store may replace them. The store may have been used with fewer
  ///     keys then, so that its next opening applies all events again if it has projections.
  init(
    _ ring: KeyRing, device: DeviceKey = DeviceKey(), in directory: URL?, isKept: Bool = false
  ) {
    self.directory = directory
    var file = KeyFile()
    file.isKept = isKept
    (file.store, file.device, file.ring) = (ring.store, device.bytes, ring.bytes)
    let unopened: Set<KeyEpoch> = isKept ? Set(ring.epochs) : []
    state = Mutex(State(epochs: Epochs(ring: ring, device: device), file: file, unopened: unopened))
  }

  /// Reads the keys of a store's directory; returns nil if it has none.
  ///
  /// - Throws: The errors of ``KeyFile/read(in:)``; `corrupt` for keys of another store.
  init?(of store: StoreID, in directory: URL) throws(StoreError) {
    guard let file = try KeyFile.read(in: directory) else { return nil }
    self.directory = directory
    do throws(SealingError) {
      let epochs = Epochs(
        ring: try KeyRing(bytes: file.ring, of: store), device: try DeviceKey(bytes: file.device))
      let unopened = stride(from: 0, to: file.unopened.count, by: 8).compactMap {
        KeyEpoch(bytes: file.unopened[$0...].prefix(8))
      }
      state = Mutex(State(epochs: epochs, file: file, unopened: Set(unopened)))
    } catch {
      throw StoreError(
        code: .corrupt, message: "\(KeyFile.path(in: directory)): \(error.message)",
        hint: "put the store's own keys there")
    }
  }

  /// Uses the keys for a log, and reads what it has about them.
  ///
  /// - Throws: `LogError`.
  func attach(to log: any LogAdapter & AnyObject) throws {
    var file = state.withLock { state in
      state.log = log
      return state.file
    }
    let last = try log.storedEvent(at: LogPosition(rawValue: UInt64(clamping: file.position)))
    if file.position != 0, last?.id != file.event { file.position = 0 }
    if file.position == 0 { file.statements = [] }
    let statements = try file.statements.compactMap {
      try log.storedEvent(at: LogPosition(rawValue: UInt64(clamping: $0)))
    }
    state.withLock { state in
      state.file = file
      for event in statements { state.note(event) }
    }
    try refresh()
    log.handle.rules.sealer = self
  }

  // MARK: - Learning

  /// Reads the events about keys that the log has after the last position read.
  func refresh() throws {
    guard let log = state.withLock({ $0.log }) else { return }
    var isDone = false
    while !isDone {
      let start = state.withLock { LogPosition(rawValue: UInt64($0.file.position)) }
      guard try log.lastPosition() > start else { return }
      let batch = try EventsAboutKeys(in: log, after: start, limit: Self.eventsPerBatch)
      guard let last = batch.last else { return }
      let (isChanged, isReread) = state.withLock { state in
        // Another thread may have read the same events.
        guard state.file.position == Int64(start.rawValue) else { return (false, true) }
        let before = state.saved
        for (position, event) in batch.events where state.note(event) {
          state.file.statements.append(Int64(position.rawValue))
        }
        let ring = state.epochs.ring
        state.unopened.formUnion(batch.epochs.filter { ring[$0] == nil })
        state.file.position = Int64(last.position.rawValue)
        state.file.event = last.id
        let isDue =
          state.file.position / Self.eventsPerFile != Int64(start.rawValue) / Self.eventsPerFile
        let isReread = state.rereadIfOpened(since: before)
        return (isReread || state.saved != before || isDue, isReread)
      }
      if isChanged { try save() }
      isDone = batch.isComplete && !isReread
    }
  }

  /// Adds keys that this device received, and saves them.
  func add(_ keys: KeyRing) throws {
    try state.withLock { state in
      let before = state.saved
      try state.epochs.add(keys)
      _ = state.rereadIfOpened(since: before)
    }
    try save()
    try refresh()
  }

  /// Makes the keys durable.
  func save() throws {
    guard let directory else { return }
    let file = state.withLock { state in
      state.file.ring = state.epochs.ring.bytes
      state.file.unopened = state.unopened.sorted().flatMap(\.bytes)
      return state.file
    }
    do throws(LogError) {
      try file.write(in: directory)
    } catch {
      // What was read is read again the next time.
      guard error.code == .readOnly else { throw error }
    }
  }

  // MARK: - Sealing and opening

  /// The keys, after reading what the log has about them.
  func ring() throws -> KeyRing {
    try refresh()
    return state.withLock { $0.epochs.ring }
  }

  func seal(
    _ payloads: [(bytes: [UInt8], timestamp: Timestamp)], of replica: ReplicaID,
    from sequence: SequenceNumber
  ) throws -> [[UInt8]] {
    try refresh()
    let epochs = state.withLock { $0.epochs }
    guard let epoch = epochs.writing else {
      throw StoreError(
        code: .busy,
        message: "every epoch of the store has a revoked device, and no new one has started",
        hint: "open the store again")
    }
    do throws(SealingError) {
      return try payloads.enumerated().map { index, payload throws(SealingError) in
        guard !payload.bytes.withUnsafeBytes({ Envelope.isPlain($0) }) else { return payload.bytes }
        let place = SealedPlace(
          store: epochs.ring.store, replica: replica,
          sequence: SequenceNumber(rawValue: sequence.rawValue + UInt64(index)),
          timestamp: payload.timestamp)
        return try epochs.ring.seal(payload.bytes, at: place, with: epoch)
      }
    } catch {
      throw StoreError(sealing: error)
    }
  }

  // MARK: - Asking

  /// What is known of the store's epochs.
  var epochs: Epochs { state.withLock { $0.epochs } }

  /// The erasure lists that the log has.
  func erasureLists() throws -> [ErasureList] {
    try refresh()
    return state.withLock { $0.erasureLists }
  }

  /// Whether no new store may replace the keys.
  var isKept: Bool { state.withLock { $0.file.isKept } }

  /// Saves that no new store may replace the keys.
  func keep() throws {
    guard !isKept else { return }
    state.withLock { $0.file.isKept = true }
    try save()
  }

  /// The number of events about keys and erased payloads, which every other reader counts as
  /// unknown.
  var statementCount: Int { state.withLock { $0.file.statements.count } }

  /// The epochs of events that could not be opened when they arrived, and whose keys are held now
  /// or not.
  var unopened: Set<KeyEpoch> { state.withLock { $0.unopened } }

  /// Notes that the events of some epochs were applied after their keys arrived.
  func noteOpened(_ opened: Set<KeyEpoch>) throws {
    state.withLock { $0.unopened.subtract(opened) }
    try save()
  }
}

extension StoreKeys.State {
  /// What is worth a new file if it changes.
  fileprivate struct Saved: Equatable {
    let keyCount: Int
    let statementCount: Int
    let unopened: Set<KeyEpoch>
  }

  fileprivate var saved: Saved {
    Saved(
      keyCount: epochs.ring.epochs.count, statementCount: file.statements.count,
      unopened: unopened)
  }

  /// Notes an event that may be about keys or erased payloads, and returns whether it is.
  @discardableResult
  fileprivate mutating func note(_ event: StoredEvent) -> Bool {
    guard let list = event.payload.withUnsafeBytes({ ErasureList(written: $0) }) else {
      return epochs.note(event)
    }
    erasureLists.append(list)
    return true
  }

  /// Starts to read from the beginning if a key came for events that were read without it.
  fileprivate mutating func rereadIfOpened(since before: Saved) -> Bool {
    let ring = epochs.ring
    guard ring.epochs.count > before.keyCount, unopened.contains(where: { ring[$0] != nil }) else {
      return false
    }
    (file.position, file.statements, erasureLists) = (0, [], [])
    epochs = Epochs(ring: ring, device: epochs.device)
    return true
  }
}
