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

  package let form: Form
  package let content: ArraySlice<UInt8>

  /// Creates a value from its parts.
  package init(form: Form, content: ArraySlice<UInt8>) {
    (self.form, self.content) = (form, content)
  }

  /// Field 31 with the wire type of bytes.
  package static let tag: [UInt8] = [0xFA, 0x01]

  /// Returns the form of a payload by its first bytes; nil for any other payload.
  package static func form(of payload: UnsafeRawBufferPointer) -> Form? {
    let start = formIndex(in: payload.count)
    guard payload.count > start, payload[0] == tag[0], payload[1] == tag[1] else { return nil }
    return Form(rawValue: payload[start])
  }

  /// Returns the index of the form in a payload with a number of bytes; the content follows it.
  ///
  /// The length before it takes one byte up to 127, and two for all others.
  package static func formIndex(in count: Int) -> Int {
    tag.count + (count < tag.count + 1 + 128 ? 1 : 2)
  }

  /// Returns the payload of a form and its content, which together have at most 16,379 bytes.
  package static func payload(_ form: Form, _ content: [UInt8]) -> [UInt8] {
    tag + length(1 + content.count) + [form.rawValue] + content
  }

  /// A length below 16,384 as a protobuf varint.
  package static func length(_ count: Int) -> [UInt8] {
    count < 128
      ? [UInt8(count)] : [UInt8(count & 0x7F) | 0x80, UInt8(truncatingIfNeeded: count >> 7)]
  }
}
