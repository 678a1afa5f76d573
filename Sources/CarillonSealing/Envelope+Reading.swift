import CarillonModel

extension Envelope {
  /// Reads a payload.
  ///
  /// - Throws: `notSealed` for any other payload, `unsupported` for a form of a later version, and
  ///   `damaged` for a field in another form.
  init(_ payload: [UInt8]) throws(SealingError) {
    guard payload.starts(with: Self.tag) else {
      throw SealingError(code: .notSealed, message: "the payload is not sealed")
    }
    let count = payload.count
    let index = Self.formIndex(in: count)
    guard count > index, count <= StoredEvent.maxPayloadBytes,
      payload[Self.tag.count..<index].elementsEqual(Self.length(count - index))
    else { throw .damaged("the sealed payload does not have the length that it states") }
    guard let form = Form(rawValue: payload[index]) else {
      throw SealingError(
        code: .unsupported, message: "the payload is sealed in a form of a later version")
    }
    self.init(form: form, content: payload[(index + 1)...])
  }
}
