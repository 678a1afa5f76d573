internal import CarillonModel

/// A row of the database `branches`.
struct BranchRow {
  private let index: UInt32
  private let value: UnsafeRawBufferPointer

  /// Checks the lengths.
  init(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) throws(LogError) {
    guard key.count == 4, value.count == LogFormat.branchByteCount else {
      throw .corrupt("a branch has a key of \(key.count) and a value of \(value.count) bytes")
    }
    index = UInt32(bigEndian: key.loadUnaligned(as: UInt32.self))
    self.value = value
  }

  /// The branch, where it fits behind those before it.
  func branch(after branches: [Branch]) throws(LogError) -> Branch {
    let replica = ReplicaID(loading: value)
    let parent = try parent(in: branches)
    let head = integer(28, as: UInt64.self)
    let first = (parent?.sequence.rawValue ?? 0) + 1
    guard Int(index) == branches.count, head >= first, head < LogFormat.maxCounter else {
      throw .corrupt("branch \(index) has the place \(branches.count) and the head \(head)")
    }
    return Branch(
      index: BranchIndex(rawValue: index), replica: replica, parent: parent,
      headSequence: SequenceNumber(rawValue: head),
      headID: EventID(loading: UnsafeRawBufferPointer(rebasing: value[36..<68])))
  }

  /// The bytes of a branch's value.
  static func value(of branch: Branch) -> [UInt8] {
    var bytes = branch.replica.bytes
    bytes += (branch.parent?.branch.rawValue ?? 0).bigEndianBytes
    bytes += (branch.parent?.sequence.rawValue ?? 0).bigEndianBytes
    bytes += branch.headSequence.rawValue.bigEndianBytes
    return bytes + branch.headID.bytes
  }

  // MARK: -

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
