package import CarillonModel

/// A JSON document, which a verb and a request are answered with.
///
/// Objects keep the order of their members, so that equal answers have equal bytes.
package typealias JSON = JSONValue

extension JSONValue {
  /// Creates an integer from any integer type; a value beyond 64 bits is clamped.
  package static func integer(_ value: some BinaryInteger) -> JSON {
    .integer(Int64(clamping: value))
  }

  /// Creates a number with three decimal places; null if it is not finite or not below 1e15.
  package static func number(_ value: Double) -> JSON {
    guard value.isFinite, abs(value) < 1e15 else { return .null }
    let thousandths = Int64((value * 1000).rounded())
    let (whole, fraction) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1000)
    return .number("\(thousandths < 0 ? "-" : "")\(whole).\(Int(fraction).padded(3))")
  }

  /// Creates a text from a value's description, or null for nil.
  package static func text(_ value: (some CustomStringConvertible)?) -> JSON {
    value.map { .text($0.description) } ?? .null
  }

  /// Creates an array with one element for each value.
  package static func array<Value>(
    _ values: some Sequence<Value>, _ element: (Value) -> JSON
  ) -> JSON {
    .array(values.map(element))
  }

  /// Creates an object whose members keep their order.
  package static func object(_ members: [(key: String, value: JSON)]) -> JSON {
    .object(JSONObject(members.map { ($0.key, $0.value) }))
  }

  /// The document on one line, with control characters escaped.
  package var line: String { description.withoutControls + "\n" }

  /// Returns an object with the members of this one, followed by those of another.
  package func merging(_ other: JSON) -> JSON {
    guard case .object(let own) = self, case .object(let more) = other else { return self }
    return .object((own.members + more.members).map { ($0.name, $0.value) })
  }
}
