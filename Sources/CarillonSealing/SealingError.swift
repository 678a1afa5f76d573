package import CarillonModel

/// The reason why sealed bytes, keys or words were refused.
package typealias SealingError = CodedError<SealingErrorCode>

/// The code of a ``SealingError``.
package struct SealingErrorCode: ErrorCode {
  package let rawValue: String

  package init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The payload is a plain one.
  package static let notSealed = Self(rawValue: "notSealed")
  /// The bytes were written in a form of a later version.
  package static let unsupported = Self(rawValue: "unsupported")
  /// The bytes are sealed with a key that is not in the ring.
  package static let unknownEpoch = Self(rawValue: "unknownEpoch")
  /// The bytes were changed, or moved from another event.
  package static let damaged = Self(rawValue: "damaged")
  /// The keys are those of another store.
  package static let otherStore = Self(rawValue: "otherStore")
  /// A payload has no bytes, or too many to be sealed.
  package static let payloadTooLarge = Self(rawValue: "payloadTooLarge")
  /// A ring is full, or has another key of the same epoch, or has no key.
  package static let invalidKeys = Self(rawValue: "invalidKeys")
  /// An epoch has no grant for this device.
  package static let notGranted = Self(rawValue: "notGranted")
  /// An epoch was started by a device that may not start one.
  package static let unknownAuthor = Self(rawValue: "unknownAuthor")
  /// Words are not in the list, or too few or too many, or their checksum is wrong.
  package static let malformedWords = Self(rawValue: "malformedWords")
  /// The other device of a pairing is not the one whose words were typed.
  package static let refusedPairing = Self(rawValue: "refusedPairing")
}

extension SealingError {
  /// Creates the error of bytes that do not have their only form.
  static func damaged(_ message: String) -> SealingError {
    SealingError(code: .damaged, message: message)
  }
}
