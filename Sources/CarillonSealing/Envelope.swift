import CarillonModel

/// Field 31 of a payload, in its only form: everything that a sealed store writes for sealing.
///
/// A reader that knows nothing of it sees a payload of an unknown kind, and stores and forwards it.
package struct Envelope {
  /// What an envelope holds, which its first byte says.
  package enum Form: UInt8 {
    case payload = 1
    case epochStart = 2
    case deviceKey = 3
    case erasureList = 4
    case pairing = 5
  }

  /// Field 31 with the wire type of bytes.
  static let tag: [UInt8] = [0xFA, 0x01]

  let form: Form
  let content: ArraySlice<UInt8>

  /// Reads a payload.
  ///
  /// - Throws: `notSealed` for any other payload, `unsupported` for a form of a later version, and
  ///   `damaged` for a field in another form.
  init(_ payload: [UInt8]) throws(SealingError) {
    guard payload.starts(with: Self.tag) else {
      throw SealingError(code: .notSealed, message: "the payload is not sealed")
    }
    let count = payload.count
    // The length takes one byte up to 127, and two for all others.
    let start = Self.tag.count + (count < Self.tag.count + 1 + 128 ? 1 : 2)
    guard count > start, count <= StoredEvent.maxPayloadBytes,
      payload[Self.tag.count..<start].elementsEqual(Self.length(count - start))
    else { throw .damaged("the sealed payload does not have the length that it states") }
    guard let form = Form(rawValue: payload[start]) else {
      throw SealingError(
        code: .unsupported, message: "the payload is sealed in a form of a later version")
    }
    (self.form, content) = (form, payload[(start + 1)...])
  }

  /// Returns the form of a payload by its first bytes; nil for any other payload.
  package static func form(of payload: UnsafeRawBufferPointer) -> Form? {
    let start = payload.count < tag.count + 1 + 128 ? 3 : 4
    guard payload.count > start, payload[0] == tag[0], payload[1] == tag[1] else { return nil }
    return Form(rawValue: payload[start])
  }

  /// Returns the payload of a form and its content, which together have at most 16,379 bytes.
  static func payload(_ form: Form, _ content: [UInt8]) -> [UInt8] {
    tag + length(1 + content.count) + [form.rawValue] + content
  }

  /// A length below 16,384 as a protobuf varint.
  private static func length(_ count: Int) -> [UInt8] {
    count < 128
      ? [UInt8(count)] : [UInt8(count & 0x7F) | 0x80, UInt8(truncatingIfNeeded: count >> 7)]
  }
}
