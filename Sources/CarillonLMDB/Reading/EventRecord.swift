internal import CarillonLog
internal import CarillonModel

/// An event's value in the database `events`: a header of 44 bytes, then the payload.
struct EventRecord {
  /// The branch index in the header; beyond all branches if the header does not match the content.
  let branch: UInt32
  let sequence: UInt64
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
    branch = marked & LogLimits.maxBranchIndex
    payload = UnsafeRawBufferPointer(start: nil, count: 0)
    redacted = RedactedContent(
      digest: PayloadDigest(loading: content),
      erasure: EventID(loading: UnsafeRawBufferPointer(rebasing: content[32...])))
  }

  var header: EventHeader { EventHeader(branch: branch, sequence: sequence, id: id) }

  /// A copy of the event.
  var held: HeldEvent {
    let content: StoredContent =
      if let redacted { .redacted(redacted) } else if payload.isEmpty { .missing } else {
        .payload([UInt8](payload))
      }
    return HeldEvent(header: header, content: content)
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

extension StoredRun {
  /// Reads a row of the database `runs`, and checks its lengths.
  init(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) throws(LogError) {
    guard key.count == 12, value.count == 16 else {
      throw .corrupt("the key of a run has \(key.count) bytes and its value \(value.count)")
    }
    try self.init(
      branch: UInt32(bigEndian: key.loadUnaligned(as: UInt32.self)),
      firstSequence: UInt64(bigEndian: key.loadUnaligned(fromByteOffset: 4, as: UInt64.self)),
      firstPosition: UInt64(bigEndian: value.loadUnaligned(as: UInt64.self)),
      count: UInt64(bigEndian: value.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }

  /// Returns the run of a branch that contains a sequence, or the last run before it; nil if there
  /// is neither.
  static func find(
    in runs: Tree, _ branch: UInt32, atOrBefore sequence: UInt64
  ) throws(LogError) -> StoredRun? {
    var cursor = runs.cursor()
    let isFound = try RunKey(branch: branch, sequence: sequence).withBytes { key throws(LogError) in
      try cursor.seek(atOrBefore: key)
    }
    guard isFound, let (key, value) = try cursor.entry() else { return nil }
    let run = try StoredRun(key: key, value: value)
    return run.branch == branch ? run : nil
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

extension StoredContent {
  /// The number of bytes after the header.
  var byteCount: Int {
    switch self {
    case .payload(let bytes): bytes.count
    case .redacted: LogFormat.redactedByteCount
    case .missing: 0
    }
  }

  /// The bits that this content sets in the branch index.
  var branchMark: UInt32 {
    switch self {
    case .payload, .missing: 0
    case .redacted: LogFormat.redactedBit
    }
  }

  /// Writes the bytes to an address that has enough space for them.
  func store(to start: UnsafeMutableRawPointer) {
    switch self {
    case .payload(let bytes):
      UnsafeMutableRawBufferPointer(start: start, count: bytes.count).copyBytes(from: bytes)
    case .redacted(let redacted):
      UnsafeMutableRawBufferPointer(start: start, count: LogFormat.redactedByteCount)
        .copyBytes(from: redacted.digest.bytes + redacted.erasure.bytes)
    case .missing: break
    }
  }
}
