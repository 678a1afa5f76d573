import CarillonLog
import CarillonModel
import CarillonSync
import CarillonWire

/// Reads and verifies the runs of a backup, file by file.
struct BackupReader {
  let place: BackupPlace
  /// The manifest; after ``verify(after:until:_:)``, of the files that can be used.
  private(set) var manifest: BackupManifest
  /// The replicas whose events ``verify(after:until:_:)`` counted.
  private(set) var writers: Set<ReplicaID> = []
  /// The problem of the first damaged file, if what is before it is used.
  private var damage: String?
  /// The IDs of the events read so far from which a run may continue: the ends of runs, and the
  /// parents that the manifest names.
  private var ends: [Point: EventID] = [:]
  /// The parents that the manifest names.
  private let parents: Set<Point>

  private struct Point: Hashable {
    let replica: ReplicaID
    let sequence: UInt64
    let suffix: UInt64

    init(replica: ReplicaID, sequence: UInt64, suffix: UInt64) {
      (self.replica, self.sequence, self.suffix) = (replica, sequence, suffix)
    }

    init(_ head: Head) {
      self.init(replica: head.replica, sequence: head.sequence.rawValue, suffix: head.id.suffix)
    }
  }

  /// Creates a reader.
  ///
  /// - Parameter manifest: The manifest, if it is not the one in the backup.
  /// - Throws: `notFound`, `corrupt`, `readOnly`, `io`.
  init(_ place: BackupPlace, manifest: BackupManifest? = nil) throws {
    self.place = place
    self.manifest = try manifest ?? place.manifest()
    parents = Set(self.manifest.files.flatMap(\.parents).map(Point.init))
  }

  /// Reads and verifies all files; those before the first damaged one, if they reach to a moment.
  ///
  /// - Parameters:
  ///   - done: The number of events done before, for `progress`.
  ///   - moment: The time after which events are not counted in the report; nil for none.
  /// - Throws: The errors of ``read(_:)``; `invalidValue` if all events are later than the time.
  mutating func verify(
    after done: Int = 0, until moment: Instant? = nil,
    _ progress: @Sendable (RebuildProgress) -> Void
  ) async throws -> BackupReport {
    let total = UInt64(done + manifest.eventCount)
    var done = UInt64(done)
    var counter = EventCounter(mayRepeat: Set(manifest.files.map(\.replica)).count > 1)
    var writers: Set<ReplicaID> = []
    var first: Int64?
    var newest = Int64.min
    for (index, file) in manifest.files.enumerated() {
      let newestBefore = newest
      do {
        try await read(file) { runs in
          done += UInt64(runs.eventCount)
          // The timestamps of a run ascend.
          let times = runs.compactMap { $0.items.first?.timestamp.milliseconds }
          first = (times + (first.map { [$0] } ?? [])).min()
          newest = max(newest, runs.map(\.lastID.timestamp.milliseconds).max() ?? newest)
          let kept = runs.compactMap { $0.prefix(until: moment) }
          counter.add(kept)
          writers.formUnion(kept.map(\.replica))
          progress(RebuildProgress(done: done, total: total))
        }
      } catch  where index > 0 && Self.isDamage(error) {
        try leaveOut(from: index, newestBefore, until: moment, because: error)
        return try await verify(after: Int(done), until: moment, progress)
      }
    }
    if let moment, let first, first > moment.milliseconds {
      throw Self.later(than: moment, first: Instant(milliseconds: first))
    }
    self.writers = writers
    return BackupReport(
      manifest, eventCount: counter.count, payloadByteCount: counter.payloadByteCount,
      damage: damage)
  }

  /// Leaves out a damaged file and those after it, which continue from it.
  ///
  /// - Parameter newest: The time of the newest event before the file, in milliseconds.
  /// - Throws: The error of the file, with the time up to which those before it reach, unless that
  ///   is as late as `moment`.
  private mutating func leaveOut(
    from index: Int, _ newest: Int64, until moment: Instant?, because error: any Error
  ) throws {
    // A clock may have been ahead. The time is in whole seconds, for people.
    let reached = max(newest, manifest.files[index - 1].madeAt.milliseconds)
    let end = Instant(milliseconds: (reached + 999) / 1_000 * 1_000)
    let problem = StoreError(translating: error)
    guard let moment, moment <= end else {
      throw StoreError(
        code: problem.code, message: "\(problem.message); the files before it are intact",
        reason: .damagedIncrement(until: end),
        hint: "restore what they have, until \(end.rfc3339()), or use another backup",
        cause: error)
    }
    manifest.files.removeSubrange(index...)
    ends = [:]
    damage = problem.message
  }

  /// Whether an error is about a damaged file.
  private static func isDamage(_ error: any Error) -> Bool {
    switch error {
    case let error as StoreError: error.code == .corrupt
    case let error as LogError: error.reason == .backupFile && error.code != .readOnly
    default: false
    }
  }

  /// Reads all files in order, and calls a body with the runs of each block.
  ///
  /// - Throws: `corrupt`, naming the file and the byte, if anything differs from the manifest or
  ///   from the IDs; the errors of `body`, and `CancellationError`.
  /// - Complexity: O(bytes). Memory is O(runs).
  mutating func read(_ body: ([EventRun]) async throws -> Void) async throws {
    for file in manifest.files { try await read(file, body) }
  }

  private mutating func read(
    _ file: BackupManifest.File, _ body: ([EventRun]) async throws -> Void
  ) async throws {
    let path = "\(place.path)/\(file.name)"
    guard let source = try place.open(file.name) else {
      throw Self.damaged("\(path) is missing")
    }
    guard source.byteCount == file.byteCount else {
      throw Self.damaged("\(path) has \(source.byteCount) bytes instead of \(file.byteCount)")
    }
    var digest = ContentDigest()
    var eventCount = 0
    var missing: [EventID] = []
    while source.byteCount > 0 {
      try Task.checkCancellation()
      let offset = file.byteCount - source.byteCount
      let runs: [EventRun]
      do {
        let (size, bytes) = try BackupPlace.reading { try Self.block(of: source) }
        size.withUnsafeBytes { digest.update($0) }
        bytes.withUnsafeBytes { digest.update($0) }
        runs = try verified(BackupBlock.decode(bytes))
      } catch let error as ModelError {
        throw Self.damaged("\(path) is damaged: the block at byte \(offset): \(error.message)")
      }
      eventCount += runs.eventCount
      missing += runs.flatMap { $0.items.compactMap(\.missingID) }
      try await body(runs)
    }
    guard digest.finalize() == file.digest else {
      throw Self.damaged("\(path) is damaged: it does not match its SHA-256")
    }
    guard eventCount == file.eventCount, missing == file.missing else {
      throw Self.damaged(
        "\(path) has \(eventCount) events, \(missing.count) as their IDs alone, instead of "
          + "\(file.eventCount) and \(file.missing.count)")
    }
    guard let place = (file.heads + file.parents).first(where: { ends[Point($0)] != $0.id }) else {
      return
    }
    throw Self.damaged(
      "\(path): the event \(place.replica)@\(place.sequence.rawValue) is in no file")
  }

  private static func block(
    of source: FileSlice
  ) throws -> (size: [UInt8], bytes: [UInt8]) {
    guard source.byteCount >= 4 else { throw ModelError.malformed("its size is cut short") }
    let size = try source.read(4)
    let count = Int(UInt32(bigEndianBytes: size))
    guard count <= BackupBlock.maxBytes, Int64(count) <= source.byteCount else {
      throw ModelError.malformed("its size, \(count) bytes, is beyond the end or the limit")
    }
    return (size, try source.read(count))
  }

  private mutating func verified(_ runs: [SyncRun]) throws(ModelError) -> [EventRun] {
    var found: [EventRun] = []
    for (index, run) in runs.enumerated() {
      guard case .full(let replica) = run.replica else {
        throw .malformed("run \(index) does not name its replica in full")
      }
      let previous =
        run.firstSequence == 1
        ? EventChain.root(of: replica)
        : ends[
          Point(replica: replica, sequence: run.firstSequence - 1, suffix: run.previousSuffix)]
      guard let previous else {
        throw .malformed("run \(index) continues from an event that is not in the backup")
      }
      guard
        case .intact(let verified, let ids) = EventRun.verifying(run, of: replica, after: previous)
      else { throw .malformed("run \(index) does not hash to its ID") }
      for (sequence, id) in zip(run.firstSequence..., ids) {
        let point = Point(replica: replica, sequence: sequence, suffix: id.suffix)
        if sequence == run.lastSequence || parents.contains(point) { ends[point] = id }
      }
      found.append(verified)
    }
    return found
  }

  private static func later(than moment: Instant, first: Instant) -> StoreError {
    StoreError(
      code: .invalidValue,
      message: "the first event of the backup is of \(first.rfc3339()), later than "
        + moment.rfc3339(),
      reason: .laterBackup(first: first), hint: "give a later time")
  }

  private static func damaged(_ problem: String) -> StoreError {
    StoreError(code: .corrupt, message: problem, hint: "use another backup")
  }
}
