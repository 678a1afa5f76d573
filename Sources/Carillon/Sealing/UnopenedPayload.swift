package import CarillonModel
package import CarillonSealing

/// Why the payload of an event in a sealed store cannot be read on this device.
package struct UnopenedPayload: Hashable, Sendable {
  /// The event's ID.
  package let event: EventID
  /// The epoch of the key that opens it; nil if the payload names none.
  package let epoch: KeyEpoch?
  /// The error: `unknownEpoch` if a key is missing, `notSealed` for a plain payload, which has no
  /// effect, and `damaged`.
  package let error: SealingError

  init(of event: RawEvent, _ error: SealingError) {
    self.event = event.id
    epoch = SealedPayload.epoch(of: event.payload)
    self.error = error
  }
}

extension KeyRing {
  /// Returns the payload of an event as it was before it was sealed.
  func opened(_ event: RawEvent) throws(SealingError) -> [UInt8] {
    let payload = [UInt8](event.payload)
    guard !Envelope.isPlain(event.payload) else { return payload }
    return try open(payload, at: SealedPlace(of: event, in: store))
  }
}
