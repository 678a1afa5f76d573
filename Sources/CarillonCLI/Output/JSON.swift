import Carillon

/// What verbs answer under `--json`: objects keep the order in which they are written, so that the
/// same answer gives the same bytes.
typealias JSON = JSONValue

extension JSONValue {
  /// A whole number of any type; one beyond 64 bits is clamped.
  static func integer(_ value: some BinaryInteger) -> JSON {
    .integer(Int64(clamping: value))
  }

  /// A number with three digits after the point; null where it is none or too large for them.
  static func number(_ value: Double) -> JSON {
    guard value.isFinite, abs(value) < 1e15 else { return .null }
    let thousandths = Int64((value * 1000).rounded())
    let (whole, fraction) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1000)
    return .number("\(thousandths < 0 ? "-" : "")\(whole).\(Int(fraction).padded(3))")
  }

  /// The text of a value, or null.
  static func text(_ value: (some CustomStringConvertible)?) -> JSON {
    value.map { .text($0.description) } ?? .null
  }

  /// One element for each value.
  static func array<Value>(_ values: some Sequence<Value>, _ element: (Value) -> JSON) -> JSON {
    .array(values.map(element))
  }

  /// An object whose members keep their order.
  static func object(_ members: [(key: String, value: JSON)]) -> JSON {
    .object(JSONObject(members.map { ($0.key, $0.value) }))
  }

  /// The document on a line of its own, with nothing in it that a terminal acts on.
  var line: String { description.withoutControls + "\n" }

  /// The members of two objects, one after the other.
  func merging(_ other: JSON) -> JSON {
    guard case .object(let own) = self, case .object(let more) = other else { return self }
    return .object((own.members + more.members).map { ($0.name, $0.value) })
  }
}
