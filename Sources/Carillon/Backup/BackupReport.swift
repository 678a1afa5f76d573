package import CarillonModel

/// What a backup contains.
public struct BackupReport: Hashable, Sendable {
  /// The store that was backed up.
  package let store: StoreID
  /// The number of events in all files, or of those up to the moment that was asked for.
  ///
  /// An event that several devices added counts once.
  public let eventCount: Int
  /// The number of bytes of the events' payloads that a log keeps, at least; 0 if they were not
  /// counted.
  private let payloadByteCount: Int64
  /// The number of events in the newest file.
  package let addedEventCount: Int
  /// The number of files with events: 1 for a full backup, and 1 more for each increment.
  package let fileCount: Int
  /// The number of bytes of these files.
  package let byteCount: Int64
  /// The number of events without content in the backup, because it is damaged or missing in the
  /// log.
  public let missingContentCount: Int
  /// When the newest file was made.
  package let madeAt: Instant
  /// The device whose log was backed up last.
  package let replica: ReplicaID
  /// The problem of the first damaged file, if it and those after it were left out; nil if the
  /// backup is intact.
  ///
  /// What the device got after ``madeAt`` is then missing, even if it was recorded before
  /// the moment that was asked for.
  package let damage: String?

  /// - Parameter manifest: The manifest of the files that the report is about.
  init(
    _ manifest: BackupManifest, eventCount: Int, payloadByteCount: Int64 = 0,
    damage: String? = nil
  ) {
    store = manifest.store
    self.payloadByteCount = payloadByteCount
    (self.eventCount, self.damage) = (eventCount, damage)
    addedEventCount = manifest.files.last?.eventCount ?? 0
    fileCount = manifest.files.count
    byteCount = manifest.files.reduce(0) { $0 + $1.byteCount }
    missingContentCount =
      manifest.files.reduce(0) { $0 + $1.missing.count } + (manifest.files.last?.leftOutCount ?? 0)
    madeAt = manifest.files.last?.madeAt ?? Instant(milliseconds: 0)
    replica = manifest.files.last?.replica ?? .zero
  }

  /// Returns the number of bytes that a store restored from the backup takes, at least: those of
  /// the events in the log's pages.
  package func leastByteCount(on storage: Store.Storage) -> Int64 {
    Int64(eventCount * storage.logs.leastByteCountBesidePayload) + payloadByteCount
  }
}
