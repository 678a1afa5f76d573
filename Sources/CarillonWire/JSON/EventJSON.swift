package import CarillonModel

/// The JSON form of events, with the field names of `protocol/EVENTS.md`.
package enum EventJSON {
  /// Returns the JSON object of an event.
  ///
  /// It has `type` and the payload's fields, then `id`, `position`, `replica`, `name`, `sequence`
  /// and `timestamp`; in an export, also `store` and `payload`.
  ///
  /// A redacted event has the type `erased`, the fields `payloadDigest` and `erasure`, and no
  /// `payload`. An event whose content is missing has the type `missing`.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - payload: The decoded payload, or nil if it cannot be decoded; the type is then
  ///     `unreadable`.
  ///   - position: The event's position in this log.
  ///   - name: The display name of the event's replica.
  ///   - export: The ID of the store if the object is a line of an export, which adds the ID and
  ///     the payload bytes in base64.
  package static func object(
    _ event: StoredEvent, payload: Payload?, position: LogPosition, name: String,
    export: StoreID? = nil
  ) -> JSONObject {
    var object =
      event.isMissing ? missing : event.redacted.map(object) ?? payload.map(object) ?? unreadable
    object["id"] = .text(event.id.description)
    object["position"] = .integer(Int64(clamping: position.rawValue))
    object["replica"] = .text(event.replica.description)
    object["name"] = .text(name)
    object["sequence"] = .integer(Int64(clamping: event.sequence.rawValue))
    let instant = Instant(milliseconds: event.timestamp.milliseconds)
    object["timestamp"] = .text(instant.rfc3339())
    if let export {
      object["store"] = .text(export.description)
      if !event.payload.isEmpty {
        object["payload"] = FieldType.bytes(.base64).json(.bytes(event.payload))
      }
    }
    return object
  }

  /// Returns the JSON object of a payload: `type` and the payload's fields.
  ///
  /// For an unknown kind, it has only the type.
  package static func object(_ payload: Payload) -> JSONObject {
    var writer = JSONFieldWriter()
    do {
      if let content = payload.content { try content.showFields(to: &writer) }
    } catch {
      preconditionFailure("writing JSON failed: \(error)")
    }
    var object = JSONObject()
    object["type"] = .text(payload.typeName)
    for member in writer.object.members { object[member.name] = member.value }
    return object
  }

  /// Returns the JSON object of a schedule: all fields of `schedule.set` except the IDs.
  package static func object(_ schedule: Schedule) -> JSONObject {
    var (copy, writer) = (schedule, JSONFieldWriter())
    do {
      for field in ScheduleField.allCases { try copy.visit(field, &writer) }
    } catch {
      preconditionFailure("writing JSON failed: \(error)")
    }
    return writer.object
  }

  /// Returns the JSON object of a redacted payload.
  private static func object(_ redacted: RedactedContent) -> JSONObject {
    JSONObject([
      ("type", .text("erased")), ("payloadDigest", .text(redacted.digest.bytes.hexadecimal)),
      ("erasure", .text(redacted.erasure.description)),
    ])
  }

  private static let unreadable = JSONObject([("type", .text("unreadable"))])
  private static let missing = JSONObject([("type", .text("missing"))])

  /// Reads a new event for appending.
  ///
  /// - Throws: `malformed` for text that is not JSON, or `invalidValue` naming the field and the
  ///   allowed values, also for a field that the kind does not have.
  package static func payload(fromJSON json: [UInt8]) throws(ModelError) -> Payload {
    let payload = try anyPayload(fromJSON: json)
    guard payload.kind?.type.isAppendable == true else {
      throw .invalid(
        "type",
        "\(payload.typeName) is recorded only by the device itself; "
          + "types that can be appended are \(typeNames { $0.type.isAppendable })")
    }
    return payload
  }

  /// Reads an event of any known kind.
  ///
  /// - Throws: The errors of ``payload(fromJSON:)``.
  package static func anyPayload(fromJSON json: [UInt8]) throws(ModelError) -> Payload {
    let object = try object(parsing: json)
    guard case .text(let type) = object["type"] else {
      throw .invalid("type", "is missing; an event needs one of \(typeNames { _ in true })")
    }
    guard let kind = Payload.Kind(name: type) else {
      throw .invalid("type", "\(type) is unknown; known types are \(typeNames { _ in true })")
    }
    var reader = JSONFieldReader(object, as: type, after: ["type"])
    let payload = try kind.type.payload(reading: &reader)
    try reader.finish()
    try payload.validate()
    return payload
  }

  /// Reads a line of an export.
  ///
  /// It uses `id`, `replica`, `sequence`, and `payload`; or, for a redacted event, `payloadDigest`
  /// and `erasure`; or none of these if the `type` is `missing`. All other members repeat the same
  /// information for people and are ignored.
  ///
  /// The log must verify that the payload hashes to the ID.
  ///
  /// - Parameter store: The expected store. A line that names another store is rejected.
  /// - Throws: `malformed` for text that is not JSON, or `invalidValue` naming the field and the
  ///   allowed values.
  package static func event(
    fromJSON json: [UInt8], of store: StoreID
  ) throws(ModelError) -> StoredEvent {
    let object = try object(parsing: json)
    if case .text(let named) = object["store"], StoreID(named) != store {
      throw ModelError(
        code: .invalidValue, message: "store: the event belongs to store \(named), not to \(store)",
        reason: .eventOfOtherStore(id: named))
    }
    var reader = JSONFieldReader(object, as: "an exported event")
    var id = EventID(words: (0, 0, 0, 0))
    var replica = ReplicaID.zero
    var sequence: Int64 = 0
    var payload: [UInt8]?
    try reader.required(0, "id", &id)
    try reader.required(0, "replica", &replica)
    try reader.required(0, "sequence", &sequence)
    guard let number = UInt64(exactly: sequence), number >= 1 else {
      throw .invalid("sequence", "\(sequence) is out of range; it counts from 1")
    }
    let place = SequenceNumber(rawValue: number)
    if object["payload"] == nil, object["payloadDigest"] != nil {
      return StoredEvent(id: id, replica: replica, sequence: place, redacted: try redacted(&reader))
    }
    if object["payload"] == nil, object["type"] == .text("missing") {
      return StoredEvent(id: id, replica: replica, sequence: place, payload: [])
    }
    try reader.optionalBytes(
      0, "payload", &payload, 1...Int64(StoredEvent.maxPayloadBytes), as: .base64)
    guard let payload else {
      throw .invalid(
        "payload", "is missing; an exported event needs it, or payloadDigest and erasure")
    }
    guard (1...StoredEvent.maxPayloadBytes).contains(payload.count) else {
      throw .invalid(
        "payload", "has \(payload.count) bytes; 1 to \(StoredEvent.maxPayloadBytes) are allowed")
    }
    return StoredEvent(id: id, replica: replica, sequence: place, payload: payload)
  }

  private static func redacted(_ reader: inout JSONFieldReader) throws(ModelError)
    -> RedactedContent
  {
    var digest: [UInt8] = []
    var erasure = EventID(words: (0, 0, 0, 0))
    try reader.bytes(0, "payloadDigest", &digest, 32...32, as: .hexadecimal)
    guard digest.count == EventID.byteCount else {
      throw .invalid("payloadDigest", "must be a digest of 64 hexadecimal digits")
    }
    try reader.required(0, "erasure", &erasure)
    return RedactedContent(
      digest: digest.withUnsafeBytes { PayloadDigest(loading: $0) }, erasure: erasure)
  }

  private static func object(parsing json: [UInt8]) throws(ModelError) -> JSONObject {
    let value = try JSONValue(parsing: json)
    guard case .object(let object) = value else {
      throw .malformed("an event must be a JSON object, not \(value.kindName)")
    }
    return object
  }

  private static func typeNames(where isListed: (Payload.Kind) -> Bool) -> String {
    Payload.Kind.allCases.filter(isListed).map(\.name).joined(separator: ", ")
  }
}
