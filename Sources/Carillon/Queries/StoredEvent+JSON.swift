package import CarillonModel
import CarillonWire

extension LoggedEvent {
  /// Returns the event as one line of JSON, in the form that `protocol/EVENTS.md` specifies.
  ///
  /// - Parameters:
  ///   - name: The display name of the event's replica.
  ///   - store: The store's ID, for a line of an export. It and the payload's bytes, as base64,
  ///     are added to the line.
  /// - Returns: One line, without a line end.
  package func json(name: String, exportingFrom store: StoreID? = nil) -> String {
    document(name: name, exportingFrom: store).description
  }

  /// Returns the same content as a JSON object.
  package func document(name: String, exportingFrom store: StoreID? = nil) -> JSONObject {
    var object = EventJSON.object(
      event, payload: payload, position: position, name: name, export: store)
    if unopened != nil || isAboutKeys { object["type"] = .text(typeName) }
    return object
  }
}

extension Schedule {
  /// The schedule as the fields of a `schedule.set`, without the IDs of the habit and the schedule.
  package var document: JSONObject { EventJSON.object(self) }
}

extension Payload {
  /// Creates a payload from a JSON object.
  ///
  /// - Throws: `invalidValue` or `malformed`, naming the field and what is allowed.
  package init(json: some Collection<UInt8>) throws(ModelError) {
    self = try EventJSON.payload(fromJSON: [UInt8](json))
  }
}

extension StoredEvent {
  /// Creates an event from a line of a store's export.
  ///
  /// - Throws: `invalidValue` or `malformed`, naming the field and what is allowed. A line of
  ///   another store is also refused.
  package init(json: some Collection<UInt8>, of store: StoreID) throws(ModelError) {
    self = try EventJSON.event(fromJSON: [UInt8](json), of: store)
  }
}
