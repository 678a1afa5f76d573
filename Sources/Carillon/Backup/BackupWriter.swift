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
  /// The events at which the branches that begin in this file leave others.
  private let parents: [Head]
  private let branches: [Branch]
  /// The heads that the backup has and the log does not.
  private let foreignHeads: [Head]
  /// The number of events written.
  private(set) var eventCount = 0
  /// The events of which only the ID was written.
  private(set) var missing: [EventID] = []

  /// - Parameters:
  ///   - file: The file.
  ///   - log: The log to back up.
  ///   - heads: The heads that the backup has; empty for a full backup.
  init(to file: NewFile, of log: any EventReader, after heads: [Head]) throws {
    let branches = try log.branches()
    var covered = [UInt64](repeating: 0, count: branches.count)
    foreignHeads = try heads.filter { try !Self.cover($0, in: &covered, branches, log) }
    var parents: [Head] = []
    builders = try branches.map { branch in
      let next = max(branch.firstSequence.rawValue, covered[Int(branch.index.rawValue)] + 1)
      guard next > 1 else {
        return RunBuilder(branch.index, .full(branch.replica), from: next, after: nil)
      }
      let sequence = SequenceNumber(rawValue: next - 1)
      let previous = try log.id(on: branch.index, at: sequence)
      if let previous, next == branch.firstSequence.rawValue {
        parents.append(Head(replica: branch.replica, sequence: sequence, id: previous))
      }
      return RunBuilder(branch.index, .full(branch.replica), from: next, after: previous)
    }
    self.parents = parents
    self.branches = branches
    self.covered = covered
    self.file = file
  }

  /// Notes that the backup has a head and everything before it; returns false if the log does not
  /// hold the head.
  private static func cover(
    _ head: Head, in covered: inout [UInt64], _ branches: [Branch], _ log: any EventReader
  ) throws -> Bool {
    let branch = try branches.first {
      try $0.replica == head.replica && $0.firstSequence <= head.sequence
        && head.sequence <= $0.headSequence && log.id(on: $0.index, at: head.sequence) == head.id
    }
    guard var branch else { return false }
    var sequence = head.sequence.rawValue
    while true {
      let index = Int(branch.index.rawValue)
      covered[index] = max(covered[index], sequence)
      guard let parent = branch.parent else { return true }
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
  var leftOutCount: Int { builders.reduce(0) { $0 + $1.count } }

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
    return BackupManifest.File(
      name: name, byteCount: file.byteCount, digest: file.digest, eventCount: eventCount,
      madeAt: madeAt, replica: replica, heads: heads, parents: parents, missing: missing)
  }

  /// The heads of the backup after this file.
  private var heads: [Head] {
    let ends = zip(branches, builders).compactMap { branch, builder in
      builder.end.map {
        Head(
          replica: branch.replica, sequence: SequenceNumber(rawValue: $0.sequence), id: $0.id)
      }
    }
    return foreignHeads + ends
  }

  /// Writes the current block.
  ///
  /// A run that ends with an event known only by ID stays for a later block.
  private mutating func flush() throws {
    try Task.checkCancellation()
    var runs: [SyncRun] = []
    var waiting: [Int] = []
    for index in order {
      if let run = builders[index].take() { runs.append(run) } else { waiting.append(index) }
    }
    order = waiting
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
