package import CarillonModel
internal import SwiftProtobuf

/// Payloads to bytes and back: protobuf `carillon.v1.Payload`, as `protocol/EVENTS.md` has it.
package enum PayloadCoding {
  /// The bytes of a payload.
  ///
  /// The same payload always gives the same bytes.
  ///
  /// - Throws: `invalidValue` naming field and limit, also for an unknown kind, which can only be
  ///   passed on as it came, and for a payload of more than 16,384 bytes.
  package static func encode(_ payload: Payload) throws(ModelError) -> [UInt8] {
    try payload.validate()
    let bytes = try PayloadWriter.bytes(of: payload)
    guard bytes.count <= Event.maxPayloadBytes else {
      throw .invalid(
        "payload", "has \(bytes.count) bytes; at most \(Event.maxPayloadBytes) are allowed")
    }
    return bytes
  }

  /// Reads a payload.
  ///
  /// A kind that this build does not know is no error.
  ///
  /// Allocates nothing for an `entry.recorded` that is a mark without a note.
  ///
  /// - Throws: `malformed` for bytes that are no payload, `invalidValue` for one that breaks a
  ///   limit. Whoever holds the event keeps it, and projects it as nothing.
  /// - Complexity: O(bytes).
  package static func decode(_ bytes: UnsafeRawBufferPointer) throws(ModelError) -> Payload {
    guard bytes.count <= Event.maxPayloadBytes else {
      throw .malformed(
        "the payload has \(bytes.count) bytes; at most \(Event.maxPayloadBytes) are allowed")
    }
    var reader = WireReader(bytes)
    guard let field = try reader.next() else { throw .malformed("the payload names no kind") }
    let payload =
      reader.isAtEnd
      ? try PayloadReader.payload(kind: field.number, type: field.type, field.bytes)
      : try decodeSeveral(bytes)
    try payload.validate()
    return payload
  }

  /// Reads a payload.
  ///
  /// - Throws: As ``decode(_:)-(UnsafeRawBufferPointer)``.
  package static func decode(_ bytes: [UInt8]) throws(ModelError) -> Payload {
    try bytes.withUnsafeBufferPointer { bytes throws(ModelError) in
      try decode(UnsafeRawBufferPointer(bytes))
    }
  }

  /// The number of a payload's kind, without reading what it says.
  ///
  /// Most payloads of a log are passed over by it when one kind is looked for.
  ///
  /// - Throws: `malformed` for bytes that are no payload.
  /// - Complexity: O(1): a payload names one kind.
  package static func kindNumber(
    of bytes: UnsafeRawBufferPointer
  ) throws(ModelError) -> UInt32 {
    var reader = WireReader(bytes)
    var kind: (known: UInt32?, last: UInt32?) = (nil, nil)
    while let field = try reader.next() {
      kind.last = field.number
      if field.type == .bytes, PayloadReader.isKnown(field.number) { kind.known = field.number }
    }
    guard let number = kind.known ?? kind.last else {
      throw .malformed("the payload names no kind")
    }
    return number
  }

  /// Reads a payload of several fields, which no writer writes.
  ///
  /// The generated message says which kind they come to: the last that is known, a repeated one
  /// merged, and bytes that are no message nowhere.
  private static func decodeSeveral(
    _ bytes: UnsafeRawBufferPointer
  ) throws(ModelError) -> Payload {
    let merged: [UInt8]
    do {
      var message = try Carillon_V1_Payload(serializedBytes: [UInt8](bytes))
      guard message.kind != nil else {
        return try PayloadReader.payload(kind: kindNumber(of: bytes), type: .varint, bytes)
      }
      message.unknownFields = UnknownStorage()
      merged = try message.serializedBytes()
    } catch let error as ModelError {
      throw error
    } catch {
      throw .malformed("the payload is not protobuf: \(error)")
    }
    return try decode(merged)
  }
}
