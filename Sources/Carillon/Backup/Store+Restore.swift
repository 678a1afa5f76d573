import CarillonLog
public import CarillonModel
import CarillonSQLite
public import Foundation
internal import Logging

extension Store {
  /// Creates a store from a backup, in an absent or empty directory.
  ///
  /// The whole backup is verified before anything is created. If an increment is damaged, a store
  /// can be created from the files before it, with a `moment` that they reach; a warning in the log
  /// of `options` says so. The store takes a new `ReplicaID`, which names the backed up device as
  /// its predecessor and repeats its name, role, switches and permission. So the old device may
  /// still exist, and both may sync.
  ///
  /// - Parameters:
  ///   - url: The directory or the tar archive of the backup.
  ///   - directory: The directory of the store.
  ///   - moment: The time after which events are left out, by their writers' clocks; nil for none.
  ///   - isDryRun: Whether only to verify the backup, and whether a store fits into the directory.
  ///   - storage: How the log is kept.
  ///   - options: Clock, zone, capacity and horizon.
  ///   - progress: Called with the number of events verified and restored, and the number to do.
  /// - Returns: What was restored. The store is not open.
  /// - Throws: `alreadyExists` if the directory is not empty; `invalidValue` if all events are
  ///   later than `moment`; `notFound`; `corrupt`, with the last possible `moment` in its hint;
  ///   `full`, `readOnly`, `io`. Nothing is left behind then.
  /// - Complexity: O(bytes).
  @discardableResult
  public static func restore(
    _ url: URL, at directory: URL, until moment: Instant? = nil, isDryRun: Bool = false,
    storage: Storage = .standard, options: StoreOptions = StoreOptions(),
    progress: @escaping @Sendable (RebuildProgress) -> Void = { _ in }
  ) async throws(StoreError) -> BackupReport {
    let (manifest, report, writers) = try await StoreError.translating {
      try requireEmpty(directory, for: storage)
      // A log that is created finds another one by itself.
      if isDryRun, try Storage(usedIn: directory) != nil { throw existing(at: directory) }
      var reader = try BackupReader(BackupPlace(url))
      let count = isDryRun ? 0 : reader.manifest.eventCount
      let report = try await reader.verify(until: moment) { progress($0.beforeAnother(count)) }
      try requireRoom(for: report, at: directory, on: storage)
      return (reader.manifest, report, reader.writers)
    }
    if let damage = report.damage {
      options.logger.warning(
        "\(damage); what the device got after \(report.madeAt.rfc3339()) is left out")
    }
    guard !isDryRun else { return report }
    let sealing = try StoreError.translating {
      try Sealing(cloning: manifest.store, nil, to: directory, isSealed: false)
    }
    // A log that receives events of its own replica continues that replica under a new ID.
    let device = writers.contains(report.replica) ? report.replica : .random()
    let store = try await make(
      at: directory, manifest.store, storage, options, sealing, replica: device
    ) { store in
      store.keptLog.setIdentityAnnouncement { _ in [] }
      try await store.append(
        BackupReader(BackupPlace(url), manifest: manifest), until: moment, progress)
      // Without keys, the device cannot describe itself; it does when it gets them.
      guard try store.keys != nil || !store.keptLog.isSealed() else { return }
      let projections = try await store.projections
      _ = try await projections.sweep()
      let identity = ReplicaIdentity(
        replica: try store.log.identity().replica, predecessor: report.replica, isAnnounced: false)
      let announcement = try NewIdentity.payloads(
        of: identity, projections: projections, options: options)
      _ = try await store.log.record(announcement, wallClock: options.clock(), expecting: nil)
    }.store
    await store.close()
    return report
  }

  /// Checks that the disk has the least number of bytes that a restored store takes.
  ///
  /// - Throws: `full`.
  private static func requireRoom(
    for report: BackupReport, at directory: URL, on storage: Storage
  ) throws {
    let needed = report.leastByteCount(on: storage)
    guard let free = directory.freeByteCount, free < needed else { return }
    throw StoreError(
      code: .full,
      message: "the store needs at least \(needed) bytes in \(directory.path), where \(free) are "
        + "free",
      reason: .noRoom(needed: needed))
  }

  /// Appends the events of a backup to the log of a store that is being created.
  private func append(
    _ backup: BackupReader, until moment: Instant?,
    _ progress: @Sendable (RebuildProgress) -> Void
  ) async throws {
    var backup = backup
    let (place, total) = (backup.place.path, UInt64(backup.manifest.eventCount))
    var done = total
    try await backup.read { runs in
      let kept = runs.compactMap { $0.prefix(until: moment) }
      if !kept.isEmpty {
        let outcomes = try await self.keptLog.append(
          kept, wallClock: self.options.clock(), erasures: nil)
        for (run, outcome) in zip(kept, outcomes) where outcome.isLeftOut {
          throw StoreError(
            code: .corrupt,
            message: "\(place): events of \(run.replica) from sequence "
              + "\(run.firstSequence.rawValue) on cannot be restored: \(outcome)",
            hint: "use another backup")
        }
      }
      done += UInt64(runs.eventCount)
      progress(RebuildProgress(done: done, total: 2 * total))
    }
  }
}

extension AppendOutcome {
  /// Whether the run was not appended.
  fileprivate var isLeftOut: Bool {
    switch self {
    case .appended, .duplicate: false
    case .gap, .headsFull: true
    }
  }
}

extension RebuildProgress {
  /// The progress of the first of two passes over as many events.
  fileprivate func beforeAnother(_ count: Int) -> RebuildProgress {
    RebuildProgress(done: done, total: total + UInt64(count))
  }
}

extension EventRun {
  /// Returns the events of the run up to a moment, all if it is nil; nil if there are none, or if
  /// no later one confirms their IDs.
  func prefix(until moment: Instant?) -> EventRun? {
    guard let moment, lastID.timestamp.milliseconds > moment.milliseconds else { return self }
    var kept = items.prefix { $0.timestamp.milliseconds <= moment.milliseconds }
    while kept.last?.missingID != nil { kept.removeLast() }
    guard !kept.isEmpty else { return nil }
    var (id, sequence) = (previous, firstSequence)
    for item in kept {
      id = item.id(sequence: sequence, previous: id)
      sequence = sequence.next
    }
    return EventRun(
      replica: replica, firstSequence: firstSequence, previous: previous, items: Array(kept),
      lastID: id)
  }
}
