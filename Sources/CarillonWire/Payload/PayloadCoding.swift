package import CarillonModel

/// The encoding of payloads as protobuf `carillon.v1.Payload`, which `protocol/EVENTS.md` defines.
package enum PayloadCoding {
  /// Encodes a payload.
  ///
  /// Equal payloads always encode to the same bytes.
  ///
  /// - Throws: `invalidValue` naming the field and the limit; also for an unknown kind, which can
  ///   only be passed on unchanged, and for a payload of more than 16,384 bytes.
  package static func encode(_ payload: Payload) throws(ModelError) -> [UInt8] {
    switch payload {
    case .entryRecorded(let entry): if let bytes = RecordWriter.payload(entry) { return bytes }
    case .dayMarked(let marked): if let bytes = RecordWriter.payload(marked) { return bytes }
    default: break
    }
    return try described(payload)
  }

  /// Encodes a payload by its kind's description.
  static func described(_ payload: Payload) throws(ModelError) -> [UInt8] {
    guard let content = payload.content else {
      throw .invalid(
        "payload", "kind \(payload.kindNumber) is unknown to this version and cannot be written")
    }
    try payload.validate()
    return try encode(content)
  }

  private static func encode<Content: EventContent>(
    _ content: Content
  ) throws(ModelError) -> [UInt8] {
    var message = ProtobufWriter()
    try content.showFields(to: &message)
    let bytes = ProtobufWriter.delimited(Int(Content.kind.rawValue), message.bytes)
    guard bytes.count <= StoredEvent.maxPayloadBytes else {
      throw .invalid(
        "payload", "has \(bytes.count) bytes; at most \(StoredEvent.maxPayloadBytes) are allowed")
    }
    return bytes
  }

  /// Decodes a payload.
  ///
  /// An unknown kind is not an error.
  ///
  /// Allocates nothing for an `entry.recorded` that is a mark without a note.
  ///
  /// - Throws: `malformed` for bytes that are not a payload, `invalidValue` for a payload that
  ///   breaks a limit. A log still keeps such an event, and projections ignore it.
  /// - Complexity: O(bytes).
  package static func decode(_ bytes: UnsafeRawBufferPointer) throws(ModelError) -> Payload {
    guard bytes.count <= StoredEvent.maxPayloadBytes else {
      throw .malformed(
        "the payload has \(bytes.count) bytes; at most \(StoredEvent.maxPayloadBytes) are allowed")
    }
    var reader = WireReader(bytes)
    guard let field = try reader.next() else { throw .malformed("the payload names no kind") }
    return
      reader.isAtEnd
      ? try payload(field.number, field.type, field.bytes)
      : try decodeSeveral(bytes)
  }

  /// Decodes a payload.
  ///
  /// - Throws: The errors of ``decode(_:)-(UnsafeRawBufferPointer)``.
  package static func decode(_ bytes: [UInt8]) throws(ModelError) -> Payload {
    try bytes.withUnsafeBufferPointer { bytes throws(ModelError) in
      try decode(UnsafeRawBufferPointer(bytes))
    }
  }

  private static func payload(
    _ number: UInt32, _ type: WireField.WireType, _ bytes: UnsafeRawBufferPointer
  ) throws(ModelError) -> Payload {
    guard let kind = Payload.Kind(rawValue: number) else { return .unknown(kind: number) }
    guard type == .bytes else { throw .malformed("the payload's kind \(number) is not a message") }
    switch kind {
    case .entryRecorded: return .entryRecorded(try EntryReader.entryRecorded(bytes))
    case .dayMarked: return .dayMarked(try MarkReader.dayMarked(bytes))
    default: break
    }
    var reader = try ProtobufReader(bytes)
    let payload = try kind.type.payload(reading: &reader)
    try payload.validate(isWithinLimits: reader.isWithinLimits)
    return payload
  }

  /// Returns the kind of a payload without decoding its content; nil for an unknown kind.
  ///
  /// A search for events of one kind uses this to skip most payloads.
  ///
  /// - Throws: `malformed` for bytes that are not a payload.
  /// - Complexity: O(1), because a payload names one kind.
  package static func kind(
    of bytes: UnsafeRawBufferPointer
  ) throws(ModelError) -> Payload.Kind? {
    var reader = WireReader(bytes)
    var kind: Payload.Kind?
    var isEmpty = true
    while let field = try reader.next() {
      isEmpty = false
      if field.type == .bytes { kind = Payload.Kind(rawValue: field.number) ?? kind }
    }
    guard !isEmpty else { throw .malformed("the payload names no kind") }
    return kind
  }

  /// Decodes a payload with several fields, which no Carillon writer produces.
  ///
  /// The last known kind counts. A repeated kind is merged, and each part must be a message.
  private static func decodeSeveral(
    _ bytes: UnsafeRawBufferPointer
  ) throws(ModelError) -> Payload {
    var known: (kind: Payload.Kind, bytes: [UInt8])?
    var last: UInt32 = 0
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      last = field.number
      guard let kind = Payload.Kind(rawValue: last), field.type == .bytes else { continue }
      if let known, known.kind != kind { try requireMessage(known.bytes, of: known.kind) }
      // Each part is a message by itself, even if several are merged.
      _ = try MessageFields(field.bytes)
      known = (kind, (known?.kind == kind ? known?.bytes ?? [] : []) + field.bytes)
    }
    guard let known else { return try payload(last, .varint, bytes) }
    return try known.bytes.withUnsafeBufferPointer { bytes throws(ModelError) in
      try payload(known.kind.rawValue, .bytes, UnsafeRawBufferPointer(bytes))
    }
  }

  /// - Throws: `malformed` for bytes that no protobuf library can read.
  private static func requireMessage(
    _ bytes: [UInt8], of kind: Payload.Kind
  ) throws(ModelError) {
    func survey<Content: EventContent>(_ type: Content.Type) throws(ModelError) {
      _ = try bytes.withUnsafeBufferPointer { bytes throws(ModelError) in
        try MessageSurvey.hasUnknown(UnsafeRawBufferPointer(bytes), of: Content.blank)
      }
    }
    try survey(kind.type)
  }
}
