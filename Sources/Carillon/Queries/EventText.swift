public import CarillonModel
import CarillonWire

extension LoggedEvent {
  /// The event as one line of JSON: `type`, the fields as `protocol/EVENTS.md` names them, then
  /// `id`, `position`, `replica`, `name`, `sequence` and `timestamp`.
  ///
  /// - Parameters:
  ///   - name: The displayed name of the event's replica.
  ///   - export: The store's id, where the line is of an export: it and the payload's bytes as
  ///     base64 are added.
  /// - Returns: One line, without a line end.
  public func json(name: String, export: StoreID? = nil) -> String {
    document(name: name, export: export).description
  }

  /// The same as a value.
  package func document(name: String, export: StoreID? = nil) -> JSONObject {
    EventJSON.object(event, payload: payload, position: position, name: name, export: export)
  }
}

extension Schedule {
  /// What a `schedule.set` says of the schedule, but for the habit's and the schedule's id.
  package var document: JSONObject {
    // The habit's id is not looked at.
    let payload = Payload.scheduleSet(ScheduleSet(habit: HabitID(high: 0, low: 0), schedule: self))
    let members = EventJSON.object(payload).members.filter {
      !["type", "habit", "schedule"].contains($0.name)
    }
    return JSONObject(members.map { ($0.name, $0.value) })
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
  /// Reads a line of an export of a store.
  ///
  /// - Throws: `invalidValue` or `malformed`, naming the field and what is allowed; also for a line
  ///   that names another store.
  public init(json: some Collection<UInt8>, of store: StoreID) throws(ModelError) {
    self = try EventJSON.event(fromJSON: [UInt8](json), of: store)
  }
}
