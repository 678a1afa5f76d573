package import CarillonModel

/// The content of a stored event.
package enum StoredContent: Hashable, Sendable {
  case payload([UInt8])
  /// Stored apart, so that a list of payloads is small.
  indirect case redacted(RedactedContent)
  /// Only the ID is known.
  case missing

  /// The content of an event that is being read.
  package init(of event: RawEvent) {
    self =
      if let redacted = event.redacted { .redacted(redacted) } else if event.isMissing {
        .missing
      } else {
        .payload([UInt8](event.payload))
      }
  }

  /// The SHA-256 of the payload, also of one that was erased.
  ///
  /// - Complexity: O(bytes).
  package var digest: PayloadDigest {
    switch self {
    case .payload(let bytes): PayloadDigest(bytes)
    case .redacted(let redacted): redacted.digest
    case .missing: PayloadDigest([])
    }
  }

  /// The remains of an erased payload; nil for every other content.
  var redacted: RedactedContent? {
    if case .redacted(let redacted) = self { redacted } else { nil }
  }

  /// The branches that an event with this content closes; nil if it closes none.
  var closing: BranchesClosed? {
    guard case .payload(let bytes) = self else { return nil }
    return bytes.withUnsafeBytes { BranchesClosed(written: $0) }
  }
}

extension EventRun.Item {
  /// The content in its stored form.
  var content: StoredContent {
    missingID == nil ? redacted.map(StoredContent.redacted) ?? .payload(payload) : .missing
  }
}
