public import CarillonModel
import CarillonWire

/// An event as stored in one log.
///
/// If its content does not hash to its ID, only the ID is given.
public struct LoggedEvent: Hashable, Sendable {
  /// The event's position in the log.
  public let position: LogPosition
  /// The event itself.
  public let event: StoredEvent
  /// The decoded payload; nil if its bytes were erased, are missing, cannot be read, or exceed a
  /// limit.
  public let payload: Payload?

  init(_ raw: RawEvent) {
    position = raw.position
    event = raw.event
    payload = raw.redacted == nil ? try? PayloadCoding.decode(raw.payload) : nil
  }

  /// The name of the event's kind; `erased` if its payload was erased, `missing` if only its ID is
  /// known or its content is damaged, `unreadable` if its payload cannot be decoded.
  package var typeName: String {
    if event.redacted != nil { return "erased" }
    return event.isMissing ? "missing" : payload?.typeName ?? "unreadable"
  }
}
