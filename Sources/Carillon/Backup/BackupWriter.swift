import CarillonLog
import CarillonModel
import CarillonSync
import CarillonWire

/// Writes the events of a log that a backup lacks to a backup file.
///
/// `protocol/BACKUP.md` specifies the file: blocks of runs. An event that closes branches comes
/// after the heads that it names, so a block ends before it.
struct BackupWriter {
  private let file: NewFile
  /// A run under construction for each branch, by index.
  private var builders: [RunBuilder] = []
  /// The sequence up to which the backup has each branch.
  private var covered: [UInt64]
  /// The branches with events in the current block, in order of their first event in it.
  private var order: [Int] = []
  private var blockEventCount = 0
  private var blockByteCount = 0
  private let branches: [Branch]
  /// Where branches leave others, for those of which the backup had no event of their own.
  private let parents: [BranchIndex: Head]
  /// The number of events written.
  private(set) var eventCount = 0
  /// The events of which only the ID was written.
  private(set) var missing: [EventID] = []

  /// - Parameters:
  ///   - file: The file.
  ///   - log: The log to back up.
  ///   - heads: The heads that the backup has, of all its files; empty for a full backup.
  init(to file: NewFile, of log: any EventReader, after heads: [Head]) throws {
    let branches = try log.branches()
    var covered = [UInt64](repeating: 0, count: branches.count)
    for head in heads { try Self.cover(head, in: &covered, branches, log) }
    var parents: [BranchIndex: Head] = [:]
    builders = try branches.map { branch in
      let next = max(branch.firstSequence.rawValue, covered[Int(branch.index.rawValue)] + 1)
      guard next > 1 else {
        return RunBuilder(branch.index, .full(branch.replica), from: next, after: nil)
      }
      let sequence = SequenceNumber(rawValue: next - 1)
      let previous = try log.id(on: branch.index, at: sequence)
      if let previous, next == branch.firstSequence.rawValue {
        parents[branch.index] = Head(replica: branch.replica, sequence: sequence, id: previous)
      }
      return RunBuilder(branch.index, .full(branch.replica), from: next, after: previous)
    }
    (self.branches, self.parents, self.covered) = (branches, parents, covered)
    self.file = file
  }

  /// Notes that the backup has a head and everything before it, if the log holds the head.
  private static func cover(
    _ head: Head, in covered: inout [UInt64], _ branches: [Branch], _ log: any EventReader
  ) throws {
    let branch = try branches.first {
      try $0.replica == head.replica && $0.firstSequence <= head.sequence
        && head.sequence <= $0.headSequence && log.id(on: $0.index, at: head.sequence) == head.id
    }
    guard var branch else { return }
    var sequence = head.sequence.rawValue
    while true {
      let index = Int(branch.index.rawValue)
      covered[index] = max(covered[index], sequence)
      guard let parent = branch.parent else { return }
      (branch, sequence) = (branches[Int(parent.branch.rawValue)], parent.sequence.rawValue)
    }
  }

  /// The position after which the log has events that the backup lacks.
  func start(in log: any EventReader) throws -> LogPosition {
    var first: LogPosition?
    for branch in branches {
      let next = max(branch.firstSequence.rawValue, covered[Int(branch.index.rawValue)] + 1)
      let position = try log.position(
        on: branch.index, at: SequenceNumber(rawValue: next))
      guard let position else { continue }
      first = min(first ?? position, position)
    }
    return try first.map { LogPosition(rawValue: $0.rawValue - 1) } ?? log.lastPosition()
  }

  /// Adds the next event of the log, unless the backup has it.
  ///
  /// - Returns: False for an event of a branch that is newer than this writer.
  mutating func add(_ event: RawEvent) throws -> Bool {
    let index = Int(event.branch.rawValue)
    guard index < builders.count else { return false }
    guard event.sequence.rawValue > covered[index] else { return true }
    let isClosing = BranchesClosed(written: event.payload) != nil
    if isClosing || blockEventCount >= Self.maxBlockEvents || blockByteCount >= Self.maxBlockBytes {
      try flush()
    }
    if !order.contains(index) { order.append(index) }
    builders[index].add(event)
    blockEventCount += 1
    blockByteCount += event.payload.count
    if order.count == SyncMessage.maxRuns { try flush() }
    return true
  }

  /// The number of damaged events at the ends of branches, which no later event confirms.
  private var leftOutCount: Int { builders.reduce(0) { $0 + $1.count } }

  /// Writes the last block, and makes the file durable.
  ///
  /// - Parameters:
  ///   - name: The file's name in the manifest.
  ///   - madeAt: The current time.
  ///   - replica: The device whose log was backed up.
  mutating func finish(
    name: String, madeAt: Instant, replica: ReplicaID
  ) throws -> BackupManifest.File {
    try flush()
    try file.finish()
    let backedUp = zip(branches, builders).filter { branch, builder in
      builder.start.map { $0.sequence >= branch.firstSequence.rawValue } ?? false
    }
    return BackupManifest.File(
      name: name, byteCount: file.byteCount, digest: file.digest, eventCount: eventCount,
      madeAt: madeAt, replica: replica,
      heads: backedUp.compactMap { branch, builder in
        builder.start.map {
          Head(
            replica: branch.replica, sequence: SequenceNumber(rawValue: $0.sequence), id: $0.id)
        }
      }, parents: backedUp.compactMap { parents[$0.0.index] }, missing: missing,
      leftOutCount: leftOutCount)
  }

  /// Writes the current block.
  ///
  /// Events known only by ID at the end of a run stay for a later block.
  private mutating func flush() throws {
    try Task.checkCancellation()
    var runs: [SyncRun] = []
    for index in order {
      if let run = builders[index].take() { runs.append(run) }
    }
    order = builders.indices.filter { builders[$0].count > 0 }
    (blockEventCount, blockByteCount) = (0, 0)
    guard !runs.isEmpty else { return }
    for run in runs {
      eventCount += run.count
      missing += run.missing.map(\.id)
    }
    try file.write(BackupBlock.encode(runs))
  }

  /// The number of events after which a block ends.
  private static let maxBlockEvents = 8_192
  /// The number of payload bytes after which a block ends.
  private static let maxBlockBytes = 1 << 20
}
