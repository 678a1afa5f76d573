import CarillonDocuments
import Testing

/// The required form of a member of a JSON answer.
indirect enum Shape: Sendable {
  case null, bool, number, text
  case list(Shape)
  /// An object with at least these members.
  case object([String: Shape])
  case optional(Shape)

  /// Expects a document to have this shape, and reports the place of each difference.
  func expect(
    _ document: Document?, _ place: String, at location: SourceLocation = #_sourceLocation
  ) {
    switch (self, document) {
    case (.null, .null), (.bool, .bool), (.number, .number), (.text, .text): break
    case (.optional, .null): break
    case (.optional(let shape), _): shape.expect(document, place, at: location)
    case (.list(let shape), .list(let elements)):
      for (index, element) in elements.enumerated() {
        shape.expect(element, "\(place)[\(index)]", at: location)
      }
    case (.object(let members), .object(let found)):
      for (key, shape) in members {
        shape.expect(found[key], "\(place).\(key)", at: location)
      }
    default:
      Issue.record(
        "\(place) is \(document.map { "\($0)" } ?? "missing")", sourceLocation: location)
    }
  }
}
