import CarillonModel

extension Payload {
  /// Checks what only writers must keep to: readers take any title.
  ///
  /// - Throws: `invalidValue` naming the field and the limit.
  func requireVisibleTitle() throws(ModelError) {
    guard let fields = (content as? any HabitWriting)?.fields,
      case .text(let title) = fields.values[.title], !title.isVisible
    else { return }
    throw .invalid(
      "title", "shows nothing; from 1 to 200 bytes of UTF-8 with a visible character are allowed")
  }
}

extension String {
  /// Whether there is anything to be seen of it: not of blanks, controls and what only shapes its
  /// neighbours.
  var isVisible: Bool {
    unicodeScalars.contains { scalar in
      let properties = scalar.properties
      return !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
        && properties.generalCategory != .control && scalar != "\u{2800}"
    }
  }
}
