#if Service
import Hummingbird

/// The query of a request, whose parameters a route takes one after the other.
///
/// A parameter that no route took is refused, so that a misspelled name does not go unnoticed.
struct RequestQuery {
  private var parameters: [(name: String, value: String)]

  init(_ request: Request) {
    parameters = request.uri.queryParameters.map { (String($0.key), String($0.value)) }
  }

  /// Takes a text; nil if the parameter is absent.
  ///
  /// - Throws: ``Problem`` `malformed` if it is given twice.
  mutating func text(_ name: String) throws -> String? {
    let values = parameters.filter { $0.name == name }.map(\.value)
    guard values.count <= 1 else {
      throw Problem.malformed("\(name) is given \(values.count) times", hint: "give it once")
    }
    parameters.removeAll { $0.name == name }
    return values.first
  }

  /// Takes a whole number; nil if the parameter is absent.
  ///
  /// - Throws: ``Problem`` `malformed`, `invalidValue`.
  mutating func integer(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
    guard let text = try text(name) else { return nil }
    guard let number = Int(text) else {
      throw Problem.malformed("\(name) must be a whole number, not \"\(text)\"")
    }
    guard range.contains(number) else {
      throw Problem.invalidValue(
        "\(name) is \(number); \(range.lowerBound) to \(range.upperBound) is allowed")
    }
    return number
  }

  /// Takes true or false; nil if the parameter is absent.
  ///
  /// - Throws: ``Problem`` `malformed`.
  mutating func bool(_ name: String) throws -> Bool? {
    switch try text(name) {
    case nil: return nil
    case "true"?: return true
    case "false"?: return false
    case let other?: throw Problem.malformed("\(name) must be true or false, not \"\(other)\"")
    }
  }

  /// Requires that every parameter was taken.
  func finish() throws {
    guard let unknown = parameters.first else { return }
    throw Problem.malformed(
      "unknown parameter \"\(unknown.name)\"", hint: "see /openapi.json for the parameters")
  }
}
#endif
