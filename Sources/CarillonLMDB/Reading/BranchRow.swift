internal import CarillonModel

/// A row of the database `branches`.
struct BranchRow {
  let index: UInt32
  private let value: UnsafeRawBufferPointer

  /// Where the checksum begins.
  private static let contentByteCount = LogFormat.branchByteCount - LogFormat.checksumByteCount

  /// Checks the lengths.
  init(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) throws(LogError) {
    guard key.count == 4, value.count == LogFormat.branchByteCount else {
      throw .corrupt("a branch has a key of \(key.count) and a value of \(value.count) bytes")
    }
    index = UInt32(bigEndian: key.loadUnaligned(as: UInt32.self))
    self.value = value
  }

  /// The sequence of the last event, as the row has it.
  var headSequence: UInt64 { integer(28, as: UInt64.self) }

  /// The ID of the last event, as the row has it.
  var headID: EventID { EventID(loading: UnsafeRawBufferPointer(rebasing: value[36..<68])) }

  /// Whether the row is as it was written.
  ///
  /// - Complexity: O(1): one short hash.
  var isIntact: Bool {
    hasChecksum(of: Array(value[..<Self.contentByteCount]))
  }

  /// Whether the row was written for a branch.
  func wasWritten(for branch: Branch) -> Bool {
    hasChecksum(of: Self.content(of: branch))
  }

  /// The branch with a head, where it fits behind those before it.
  ///
  /// A branch that leaves another is of the same replica, which its events do not confirm.
  func branch(
    after branches: [Branch], headSequence head: UInt64, headID: EventID
  ) throws(LogError) -> Branch {
    let parent = try parent(in: branches)
    let first = (parent?.sequence.rawValue ?? 0) + 1
    guard Int(index) == branches.count, head >= first, head < LogFormat.maxCounter else {
      throw .corrupt("branch \(index) has the place \(branches.count) and the head \(head)")
    }
    let replica = parent.map { branches[Int($0.branch.rawValue)].replica }
    return Branch(
      index: BranchIndex(rawValue: index), replica: replica ?? ReplicaID(loading: value),
      parent: parent,
      headSequence: SequenceNumber(rawValue: head), headID: headID)
  }

  /// The bytes of a branch's value.
  static func value(of branch: Branch) -> [UInt8] {
    let content = content(of: branch)
    return content + checksum(of: content, index: branch.index.rawValue)
  }

  // MARK: -

  private static func content(of branch: Branch) -> [UInt8] {
    var bytes = branch.replica.bytes
    bytes += (branch.parent?.branch.rawValue ?? 0).bigEndianBytes
    bytes += (branch.parent?.sequence.rawValue ?? 0).bigEndianBytes
    bytes += branch.headSequence.rawValue.bigEndianBytes
    return bytes + branch.headID.bytes
  }

  private static func checksum(of content: [UInt8], index: UInt32) -> [UInt8] {
    LogFormat.checksum(of: index.bigEndianBytes + content)
  }

  private func hasChecksum(of content: [UInt8]) -> Bool {
    value[Self.contentByteCount...].elementsEqual(Self.checksum(of: content, index: index))
  }

  private func parent(in branches: [Branch]) throws(LogError) -> Branch.Parent? {
    let sequence = integer(20, as: UInt64.self)
    guard sequence != 0 else { return nil }
    let parent = integer(16, as: UInt32.self)
    // A parent stands before its child, so following parents always ends.
    guard parent < branches.count, sequence <= branches[Int(parent)].headSequence.rawValue else {
      throw .corrupt("branch \(index) leaves branch \(parent) at \(sequence), which is not there")
    }
    return Branch.Parent(
      branch: BranchIndex(rawValue: parent), sequence: SequenceNumber(rawValue: sequence))
  }

  private func integer<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as: T.Type) -> T {
    T(bigEndian: value.loadUnaligned(fromByteOffset: offset, as: T.self))
  }
}
