public import CarillonModel
import CarillonWire

extension LoggedEvent {
  /// The event as one line of JSON: `type`, the fields as `protocol/EVENTS.md` names them, then
  /// `id`, `position`, `replica`, `name`, `sequence` and `timestamp`.
  ///
  /// - Parameters:
  ///   - name: The displayed name of the event's replica.
  ///   - includesPayload: Whether the payload's bytes are added as base64, as in an export.
  /// - Returns: One line, without a line end.
  public func json(name: String, includesPayload: Bool = false) -> String {
    EventJSON.line(
      event, payload: payload, position: position, name: name, includesPayload: includesPayload)
  }
}

extension Payload {
  /// Reads what a line of `carillon append` says.
  ///
  /// - Throws: `invalidValue` or `malformed`, naming the field and what is allowed.
  public init(json: some Collection<UInt8>) throws(ModelError) {
    self = try EventJSON.payload(fromJSON: [UInt8](json))
  }
}

extension Event {
  /// Reads a line of an export.
  ///
  /// - Throws: `invalidValue` or `malformed`, naming the field and what is allowed.
  public init(json: some Collection<UInt8>) throws(ModelError) {
    self = try EventJSON.event(fromJSON: [UInt8](json))
  }
}
