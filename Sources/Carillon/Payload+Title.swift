import CarillonModel

extension Payload {
  /// Checks a rule that applies only to writers: readers accept any title.
  ///
  /// - Throws: `invalidValue`, naming the field and the limit.
  func requireVisibleTitle() throws(ModelError) {
    let fields: HabitFields
    switch self {
    case .habitCreated(let created): fields = created
    case .habitEdited(let edited): fields = edited
    default: return
    }
    guard case .text(let title) = fields.values[.title], !title.isVisible else { return }
    throw .invalid(
      "title",
      "has no visible character; from 1 to \(Limit.maxShortBytes) bytes of UTF-8 with at least one "
        + "are allowed")
  }
}

extension String {
  /// Whether the text has a visible character: one that is not whitespace, a control character or
  /// ignorable.
  package var isVisible: Bool {
    unicodeScalars.contains { scalar in
      let properties = scalar.properties
      return !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
        && properties.generalCategory != .control && scalar != "\u{2800}"
    }
  }
}
