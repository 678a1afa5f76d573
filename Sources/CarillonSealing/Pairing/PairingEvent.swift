import CarillonModel

/// A message of a pairing as the payload of an event, so that it reaches the other device by sync.
///
/// It is not sealed, because the new device has no key yet.
package struct PairingEvent: Hashable, Sendable {
  /// The pairing: a random number of the new device.
  package let pairing: [UInt8]
  /// The number of the message, from 1 to 4.
  package let step: UInt8
  /// The message; empty to end the pairing.
  package let message: [UInt8]

  private static let nameCount = 16
  private static let steps: ClosedRange<UInt8> = 1...4

  /// Creates the first message of a new pairing.
  package init(starting message: [UInt8]) {
    (pairing, step, self.message) = (.random(count: Self.nameCount), 1, message)
  }

  private init(_ pairing: [UInt8], _ step: UInt8, _ message: [UInt8]) {
    (self.pairing, self.step, self.message) = (pairing, step, message)
  }

  /// Returns another message of the same pairing.
  package func with(_ message: [UInt8], step: UInt8) -> PairingEvent {
    PairingEvent(pairing, step, message)
  }

  /// Reads the payload of an event.
  ///
  /// - Throws: `notSealed`, `unsupported` or `damaged`.
  package init(_ payload: [UInt8]) throws(SealingError) {
    let envelope = try Envelope(payload)
    guard envelope.form == .pairing else {
      throw SealingError(code: .notSealed, message: "the payload is no message of a pairing")
    }
    let content = envelope.content
    guard content.count > Self.nameCount,
      Self.steps.contains(content[content.startIndex + Self.nameCount])
    else { throw .damaged("a message of a pairing has no number from 1 to 4") }
    pairing = [UInt8](content.prefix(Self.nameCount))
    step = content[content.startIndex + Self.nameCount]
    message = [UInt8](content.dropFirst(Self.nameCount + 1))
  }

  /// The payload.
  package var payload: [UInt8] { Envelope.payload(.pairing, pairing + [step] + message) }
}
