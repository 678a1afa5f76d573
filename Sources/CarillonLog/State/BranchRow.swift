package import CarillonModel

/// A stored row of a branch: its `ReplicaID` 16 bytes, parent index u32 and sequence u64 (0: no
/// parent), head sequence u64, head ID 32 bytes, checksum 8 bytes over the index and all of these
/// fields.
package struct BranchRow {
  let index: UInt32
  private let value: [UInt8]

  /// The offset of the checksum.
  private static let contentByteCount = 68
  /// The size of a row in bytes.
  private static let byteCount = contentByteCount + LogChecksum.byteCount

  /// Creates a row after checking its length.
  ///
  /// - Throws: `corrupt`.
  package init(index: UInt32, value: [UInt8]) throws(LogError) {
    guard value.count == Self.byteCount else {
      throw .corrupt(
        "branch \(index) has a value of \(value.count) bytes instead of \(Self.byteCount)")
    }
    self.index = index
    self.value = value
  }

  /// The sequence of the last event, according to the row.
  var headSequence: UInt64 { integer(28, as: UInt64.self) }

  /// The ID of the last event, according to the row.
  var headID: EventID {
    value[36..<68].withUnsafeBytes { EventID(loading: $0) }
  }

  /// Whether the row is unchanged since it was written.
  ///
  /// - Complexity: O(1): one short hash.
  var isIntact: Bool {
    hasChecksum(of: Array(value[..<Self.contentByteCount]))
  }

  /// Whether the row's checksum is that of a given branch.
  func wasWritten(for branch: Branch) -> Bool {
    hasChecksum(of: Self.content(of: branch))
  }

  /// Returns the branch with a given head, if it fits after the branches before it.
  ///
  /// A branch with a parent has the parent's replica; the row's replica is not used, because the
  /// branch's events do not confirm it.
  func branch(
    after branches: [Branch], headSequence head: UInt64, headID: EventID
  ) throws(LogError) -> Branch {
    let parent = try parent(in: branches)
    let first = (parent?.sequence.rawValue ?? 0) + 1
    guard Int(index) == branches.count, head >= first, head < LogLimits.maxCounter else {
      throw .corrupt(
        "branch \(index) in row \(branches.count) has head \(head); the row must match, and the "
          + "head must be \(first) to \(LogLimits.maxCounter - 1)")
    }
    let replica = parent.map { branches[Int($0.branch.rawValue)].replica }
    return Branch(
      index: BranchIndex(rawValue: index),
      replica: replica ?? value.withUnsafeBytes { ReplicaID(loading: $0) },
      parent: parent,
      headSequence: SequenceNumber(rawValue: head), headID: headID)
  }

  /// Returns the bytes of a branch's value.
  package static func value(of branch: Branch) -> [UInt8] {
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
    LogChecksum.of(index.bigEndianBytes + content)
  }

  private func hasChecksum(of content: [UInt8]) -> Bool {
    value[Self.contentByteCount...].elementsEqual(Self.checksum(of: content, index: index))
  }

  private func parent(in branches: [Branch]) throws(LogError) -> Branch.Parent? {
    let sequence = integer(20, as: UInt64.self)
    guard sequence != 0 else { return nil }
    let parent = integer(16, as: UInt32.self)
    // A parent is stored before its child, so following parents always ends.
    guard parent < branches.count, sequence <= branches[Int(parent)].headSequence.rawValue else {
      throw .corrupt(
        "branch \(index) starts at \(sequence) of branch \(parent), which does not exist")
    }
    return Branch.Parent(
      branch: BranchIndex(rawValue: parent), sequence: SequenceNumber(rawValue: sequence))
  }

  private func integer<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as: T.Type) -> T {
    T(bigEndian: value.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: T.self) })
  }
}
