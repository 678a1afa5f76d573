package import CarillonModel

/// Events as JSON, as `protocol/EVENTS.md` names their fields.
package enum EventJSON {
  /// One event: `type` and the payload's fields, then `id`, `position`, `replica`,
  /// `name`, `sequence` and `timestamp`, then `store` and `payload` where it is an export.
  ///
  /// Of an event whose payload was erased the type is `erased`, the fields are `payloadDigest` and
  /// `erasure`, and an export has no `payload`. Of one of which only the ID is known the type is
  /// `missing`.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - payload: What its bytes say, or nil where they cannot be read: its type is then
  ///     `unreadable`.
  ///   - position: Its place in this log.
  ///   - name: The displayed name of its replica.
  ///   - export: The store's id, where the line is of an export: it and the bytes in base64 are
  ///     added.
  package static func object(
    _ event: Event, payload: Payload?, position: Position, name: String, export: StoreID? = nil
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

  /// `type` and the fields of a payload.
  ///
  /// Of an unknown kind there is only the type.
  package static func object(_ payload: Payload) -> JSONObject {
    var writer = JSONFieldWriter()
    do {
      if let content = payload.content { try content.showFields(to: &writer) }
    } catch {
      preconditionFailure("writing JSON refused a value: \(error)")
    }
    var object = JSONObject()
    object["type"] = .text(payload.typeName)
    for member in writer.object.members { object[member.name] = member.value }
    return object
  }

  /// What is left of a payload.
  private static func object(_ redacted: RedactedContent) -> JSONObject {
    JSONObject([
      ("type", .text("erased")), ("payloadDigest", .text(redacted.digest.bytes.hexadecimal)),
      ("erasure", .text(redacted.erasure.description)),
    ])
  }

  private static let unreadable = JSONObject([("type", .text("unreadable"))])
  private static let missing = JSONObject([("type", .text("missing"))])

  /// Reads a new event that somebody else wrote down, as `append` takes it.
  ///
  /// - Throws: `malformed` for what is not JSON, `invalidValue` naming the field and what is
  ///   allowed: also for a field that the kind does not have.
  package static func payload(fromJSON json: [UInt8]) throws(ModelError) -> Payload {
    let payload = try anyPayload(fromJSON: json)
    guard payload.kind?.type.isAppendable == true else {
      throw .invalid(
        "type",
        "\(payload.typeName) is written by the device itself; "
          + "what can be appended is \(typeNames { $0.type.isAppendable })")
    }
    return payload
  }

  /// Reads an event of any kind that this build knows.
  ///
  /// - Throws: As ``payload(fromJSON:)``.
  package static func anyPayload(fromJSON json: [UInt8]) throws(ModelError) -> Payload {
    let object = try object(parsing: json)
    guard case .text(let type) = object["type"] else {
      throw .invalid("type", "is missing; an event needs one of \(typeNames { _ in true })")
    }
    guard let kind = Payload.Kind(name: type) else {
      throw .invalid("type", "\(type) is not known; there are \(typeNames { _ in true })")
    }
    var reader = JSONFieldReader(object, as: type, after: ["type"])
    let payload = try kind.type.payload(reading: &reader)
    try reader.finish()
    try payload.validate()
    return payload
  }

  /// Reads a line of an export: `id`, `replica`, `sequence`, and `payload` or, where that was
  /// erased, `payloadDigest` and `erasure`, or neither where its `type` is `missing`.
  ///
  /// All else on the line says the same for people, and is not looked at.
  ///
  /// Whether the ID is that of the payload is for the log to verify.
  ///
  /// - Parameter store: Where the line names a store, it must be this one.
  /// - Throws: `malformed` for what is not JSON, `invalidValue` naming the field and what is
  ///   allowed.
  package static func event(
    fromJSON json: [UInt8], of store: StoreID
  ) throws(ModelError) -> Event {
    let object = try object(parsing: json)
    if case .text(let named) = object["store"], StoreID(named) != store {
      throw ModelError(
        code: .invalidValue, message: "store: the event is of store \(named), not of \(store)",
        hint: "make a replica of that store: "
          + "carillon init --store DIR --replica NAME --store-id \(named)")
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
      return Event(id: id, replica: replica, sequence: place, redacted: try redacted(&reader))
    }
    if object["payload"] == nil, object["type"] == .text("missing") {
      return Event(id: id, replica: replica, sequence: place, payload: [])
    }
    try reader.optionalBytes(0, "payload", &payload, 1...Int64(Event.maxPayloadBytes), as: .base64)
    guard let payload else {
      throw .invalid(
        "payload", "is missing; an exported event needs it, or payloadDigest and erasure")
    }
    guard (1...Event.maxPayloadBytes).contains(payload.count) else {
      throw .invalid(
        "payload", "has \(payload.count) bytes; 1 to \(Event.maxPayloadBytes) are allowed")
    }
    return Event(id: id, replica: replica, sequence: place, payload: payload)
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
      throw .malformed("an event is an object in JSON, not \(value.kindName)")
    }
    return object
  }

  private static func typeNames(where isListed: (Payload.Kind) -> Bool) -> String {
    Payload.Kind.allCases.filter(isListed).map(\.name).joined(separator: ", ")
  }
}
