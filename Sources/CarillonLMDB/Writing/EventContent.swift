internal import CarillonModel

/// What stands behind the header of an event's value.
enum EventContent {
  case payload([UInt8])
  case bare(BareContent)

  var byteCount: Int {
    switch self {
    case .payload(let bytes): bytes.count
    case .bare: LogFormat.bareByteCount
    }
  }

  /// The bits that it sets in the branch index.
  var branchMark: UInt32 {
    switch self {
    case .payload: 0
    case .bare: LogFormat.bareBit
    }
  }

  /// Writes the bytes to an address that has room for them.
  func store(to start: UnsafeMutableRawPointer) {
    switch self {
    case .payload(let bytes):
      UnsafeMutableRawBufferPointer(start: start, count: bytes.count).copyBytes(from: bytes)
    case .bare(let bare):
      UnsafeMutableRawBufferPointer(start: start, count: LogFormat.bareByteCount)
        .copyBytes(from: bare.digest.bytes + bare.erasure.bytes)
    }
  }
}

extension EventRun.Item {
  var content: EventContent { bare.map(EventContent.bare) ?? .payload(payload) }
}
