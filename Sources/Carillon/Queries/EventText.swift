package import CarillonModel
import CarillonWire

extension LoggedEvent {
  /// Returns the event as one line of JSON: `type`, the fields named in `protocol/EVENTS.md`, then
  /// `id`, `position`, `replica`, `name`, `sequence` and `timestamp`.
  ///
  /// - Parameters:
  ///   - name: The display name of the event's replica.
  ///   - export: The store's ID, for a line of an export. It and the payload's bytes, as base64,
  ///     are added to the line.
  /// - Returns: One line, without a line end.
  package func json(name: String, export: StoreID? = nil) -> String {
    document(name: name, export: export).description
  }

  /// Returns the same content as a JSON object.
  package func document(name: String, export: StoreID? = nil) -> JSONObject {
    EventJSON.object(event, payload: payload, position: position, name: name, export: export)
  }
}

extension Schedule {
  /// The schedule as the fields of a `schedule.set`, without the IDs of the habit and the schedule.
  package var document: JSONObject {
    // The result does not contain the habit's ID, so any ID will do.
    let payload = Payload.scheduleSet(ScheduleSet(habit: HabitID(high: 0, low: 0), schedule: self))
    let members = EventJSON.object(payload).members.filter {
      !["type", "habit", "schedule"].contains($0.name)
    }
    return JSONObject(members.map { ($0.name, $0.value) })
  }
}

extension Payload {
  /// Creates a payload from a line of `carillon append`.
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
