internal import CarillonModel

/// The part of an event's value that follows the header.
enum EventContent {
  case payload([UInt8])
  case redacted(RedactedContent)
  /// Only the ID is known.
  case missing

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

  /// The branches that an event with this content closes; nil if it closes none.
  var closing: BranchesClosed? {
    guard case .payload(let bytes) = self else { return nil }
    return bytes.withUnsafeBytes { BranchesClosed(written: $0) }
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

extension EventRun.Item {
  var content: EventContent {
    missingID == nil ? redacted.map(EventContent.redacted) ?? .payload(payload) : .missing
  }
}
