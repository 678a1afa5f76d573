internal import CarillonModel

/// An event's value in the database `events`: a header of 44 bytes, then the payload.
struct EventRecord {
  /// The branch index in the header; beyond all branches if the header does not match the content.
  private(set) var branch: UInt32
  private(set) var sequence: UInt64
  let id: EventID
  /// The payload; empty if it was erased or is missing.
  let payload: UnsafeRawBufferPointer
  let redacted: RedactedContent?

  /// Reads a value and checks its length.
  @inline(__always)
  init(_ value: UnsafeRawBufferPointer, at position: UInt64) throws(LogError) {
    guard value.count >= LogFormat.eventHeaderByteCount else {
      throw .corrupt("the event at position \(position) has \(value.count) bytes")
    }
    let marked = UInt32(bigEndian: value.loadUnaligned(as: UInt32.self))
    sequence = UInt64(bigEndian: value.loadUnaligned(fromByteOffset: 4, as: UInt64.self))
    id = EventID(loading: UnsafeRawBufferPointer(rebasing: value[12..<44]))
    let content = UnsafeRawBufferPointer(rebasing: value[LogFormat.eventHeaderByteCount...])
    guard marked & LogFormat.redactedBit != 0, content.count == LogFormat.redactedByteCount else {
      branch = marked
      payload = content
      redacted = nil
      return
    }
    branch = marked & LogFormat.maxBranchIndex
    payload = UnsafeRawBufferPointer(start: nil, count: 0)
    redacted = RedactedContent(
      digest: PayloadDigest(loading: content),
      erasure: EventID(loading: UnsafeRawBufferPointer(rebasing: content[32...])))
  }

  /// Whether the header names a place.
  @inline(__always)
  func isAt(_ branch: UInt32, _ sequence: UInt64) -> Bool {
    self.branch == branch && self.sequence == sequence
  }

  /// Returns the event with a header that names a place.
  func placed(_ branch: UInt32, _ sequence: UInt64) -> EventRecord {
    var record = self
    (record.branch, record.sequence) = (branch, sequence)
    return record
  }

  /// Writes a header to the first 44 bytes at an address.
  @inline(__always)
  static func storeHeader(
    branch: UInt32, sequence: UInt64, id: EventID, to start: UnsafeMutableRawPointer
  ) {
    start.storeBytes(of: branch.bigEndian, as: UInt32.self)
    start.storeBytes(of: sequence.bigEndian, toByteOffset: 4, as: UInt64.self)
    start.storeBytes(of: id.bigEndianWords, toByteOffset: 12, as: EventID.Words.self)
  }
}

/// A row of the database `runs`: a range of one branch that is contiguous in sequence and position.
struct StoredRun: Hashable {
  let branch: UInt32
  let firstSequence: UInt64
  let firstPosition: UInt64
  var count: UInt64

  /// The sequence after the last event's.
  var endSequence: UInt64 { firstSequence + count }

  /// The position of the last event.
  var lastPosition: UInt64 { firstPosition + count - 1 }

  init(branch: UInt32, firstSequence: UInt64, firstPosition: UInt64, count: UInt64) {
    self.branch = branch
    self.firstSequence = firstSequence
    self.firstPosition = firstPosition
    self.count = count
  }

  /// Reads a row and checks its lengths and that no sum can overflow.
  init(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) throws(LogError) {
    guard key.count == 12, value.count == 16 else {
      throw .corrupt("the key of a run has \(key.count) bytes and its value \(value.count)")
    }
    branch = UInt32(bigEndian: key.loadUnaligned(as: UInt32.self))
    firstSequence = UInt64(bigEndian: key.loadUnaligned(fromByteOffset: 4, as: UInt64.self))
    firstPosition = UInt64(bigEndian: value.loadUnaligned(as: UInt64.self))
    count = UInt64(bigEndian: value.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    let limit = LogFormat.maxCounter
    guard firstSequence >= 1, firstPosition >= 1, count >= 1, firstSequence < limit,
      firstPosition < limit, count < limit
    else { throw .corrupt("a run of branch \(branch) is out of range") }
  }

  /// The bytes of the row's value.
  var value: (UInt64, UInt64) { (firstPosition.bigEndian, count.bigEndian) }
}

/// The bytes of a key of `runs`.
struct RunKey {
  private let words: (UInt32, UInt32, UInt32)

  init(branch: UInt32, sequence: UInt64) {
    words = (
      branch.bigEndian, UInt32(truncatingIfNeeded: sequence >> 32).bigEndian,
      UInt32(truncatingIfNeeded: sequence).bigEndian
    )
  }

  func withBytes<Result, Failure>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBytes(of: words, body)
  }
}
