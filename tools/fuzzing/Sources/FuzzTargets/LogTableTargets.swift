@testable import CarillonLog
import CarillonModel
import CarillonTestSupport

extension FuzzTarget {
  static let logTables = FuzzTarget(
    name: "log-tables", maxByteCount: 4_096, seeds: Tables.seeds, run: Tables.read)
}

/// The small tables of a log, which every storage decodes in the same way.
///
/// An input is the last position in eight bytes, and then rows: one byte for the table, one for the
/// number of bytes, and the bytes without a checksum. The checksums are added, so that changed
/// bytes are decoded instead of refused.
private struct Tables: LogTables {
  let commit: UInt64 = 1
  let meta: MetaTable
  private let position: UInt64
  private let branches: [BranchRow]
  private let closings: [ClosingRow]
  private let runs: [UInt32: StoredRun]

  /// The tables by the number of their rows in an input.
  private enum Table: UInt8 {
    case meta, branch, closing, run
  }

  /// The state of a log; the only error is damage or another version.
  static func read(_ bytes: UnsafeRawBufferPointer) throws {
    do {
      let state = try LogState(try Tables([UInt8](bytes)))
      for branch in state.branches {
        let owner = state.owner(of: branch.headSequence.rawValue, on: Int(branch.index.rawValue))
        hold(owner == branch.index.rawValue, "a branch owns its head")
        hold(
          state.owner(of: 1, on: Int(branch.index.rawValue)) != nil,
          "a branch or one of its parents owns the first event")
      }
    } catch let error as LogError {
      hold(
        [.corrupt, .unsupportedFormat].contains(error.code),
        "damage is reported as damage: \(error)")
    }
  }

  private init(_ bytes: [UInt8]) throws {
    position = UInt64(bigEndianBytes: Array(bytes.prefix(8)))
    var rest = bytes.dropFirst(8)
    var values: [MetaKey: [UInt8]] = [:]
    var (branches, closings): ([BranchRow], [ClosingRow]) = ([], [])
    var runs: [UInt32: StoredRun] = [:]
    while let number = rest.popFirst(), let count = rest.popFirst() {
      let value = Array(rest.prefix(Int(count)))
      rest = rest.dropFirst(value.count)
      switch Table(rawValue: number % 4) {
      case .meta:
        guard let first = value.first else { continue }
        values[Self.keys[Int(first) % Self.keys.count]] = Array(value.dropFirst())
      case .branch:
        let index = UInt32(branches.count)
        branches.append(
          try BranchRow(
            index: index,
            value: value + LogChecksum.of(index.bigEndianBytes + value)))
      case .closing:
        let position = UInt64(closings.count) + 1
        closings.append(
          ClosingRow(
            position: position, value: value + LogChecksum.of(position.bigEndianBytes + value)))
      case .run:
        let run = try Self.run(value)
        runs[run.branch] = run
      case nil: break
      }
    }
    let names = MetaTable.sealed(values).map { ($0.key.rawValue, $0.value) }
    meta = try MetaTable(Dictionary(uniqueKeysWithValues: names), version: Self.version)
    (self.branches, self.closings, self.runs) = (branches, closings, runs)
  }

  func lastPosition() throws -> UInt64 { position }

  func branchRows() throws -> [BranchRow] { branches }

  func closingRows() throws -> [ClosingRow] { closings }

  func lastRun(of branch: UInt32) throws -> StoredRun? { runs[branch] }

  func lastRunBranch() throws -> UInt32? { runs.keys.max() }

  func view(_ state: LogState) throws -> any LogView {
    throw LogError(code: .corrupt, message: "the tables have no events")
  }

  // MARK: - Parts

  private static let version: UInt32 = 1

  private static let keys: [MetaKey] = [
    .format, .store, .replica, .predecessor, .marker, .generation, .branch,
  ]

  private static func run(_ value: [UInt8]) throws -> StoredRun {
    let fields = value.prefix(28)
    return try StoredRun(
      branch: UInt32(bigEndianBytes: Array(fields.prefix(4))),
      firstSequence: UInt64(bigEndianBytes: Array(fields.dropFirst(4).prefix(8))),
      firstPosition: UInt64(bigEndianBytes: Array(fields.dropFirst(12).prefix(8))),
      count: UInt64(bigEndianBytes: Array(fields.dropFirst(20))))
  }

  // MARK: - Seeds

  /// Two branches, of which the second starts within the first one, and an event that closes it.
  static func seeds() -> [[UInt8]] {
    let replica = ReplicaID(high: 3 << 32, low: 4)
    let parent = Branch(
      index: BranchIndex(rawValue: 0), replica: replica, parent: nil,
      headSequence: SequenceNumber(rawValue: 5), headID: EventChain.root(of: replica))
    let child = Branch(
      index: BranchIndex(rawValue: 1), replica: replica,
      parent: Branch.Parent(
        branch: BranchIndex(rawValue: 0), sequence: SequenceNumber(rawValue: 3)),
      headSequence: SequenceNumber(rawValue: 6), headID: EventChain.root(of: replica))
    let closing = Branch.Closing(
      position: LogPosition(rawValue: 1), sequence: SequenceNumber(rawValue: 5),
      closed: [Branch.Place(branch: child.index, sequence: child.headSequence)])
    var own: [UInt8] = UInt32.max.bigEndianBytes
    let other = meta(ReplicaID(high: 9 << 32, low: 9), own)
    own = UInt32(0).bigEndianBytes
    let first = UInt64(5).bigEndianBytes + meta(replica, own) + rows([parent])
    return [
      UInt64(0).bigEndianBytes + other, first,
      UInt64(8).bigEndianBytes + meta(replica, own) + rows([parent, child])
        + row(.closing, unsealed(ClosingRow.value(of: closing, on: 0))),
    ]
  }

  private static func meta(_ replica: ReplicaID, _ branch: [UInt8]) -> [UInt8] {
    let store = StoreID(high: 1, low: 2)
    let values: [(UInt8, [UInt8])] = [
      (0, version.bigEndianBytes), (1, store.bytes), (2, replica.bytes), (6, branch),
    ]
    return values.flatMap { row(.meta, [$0] + $1) }
  }

  private static func rows(_ branches: [Branch]) -> [UInt8] {
    var position: UInt64 = 1
    return branches.flatMap { branch in
      let count = branch.headSequence.rawValue - (branch.parent?.sequence.rawValue ?? 0)
      let run =
        branch.index.rawValue.bigEndianBytes + branch.firstSequence.rawValue.bigEndianBytes
        + position.bigEndianBytes + count.bigEndianBytes
      position += count
      return row(.branch, unsealed(BranchRow.value(of: branch))) + row(.run, run)
    }
  }

  private static func unsealed(_ value: [UInt8]) -> [UInt8] {
    Array(value.dropLast(LogChecksum.byteCount))
  }

  private static func row(_ table: Table, _ value: [UInt8]) -> [UInt8] {
    [table.rawValue, UInt8(value.count)] + value
  }
}
