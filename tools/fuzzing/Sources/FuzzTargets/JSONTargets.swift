import Carillon
import CarillonModel
import CarillonWire

extension FuzzTarget {
  static let jsonTargets = [
    FuzzTarget(
      name: "json", maxByteCount: 65_536, seeds: JSONDocuments.seeds, run: JSONDocuments.read)
  ]
}

/// JSON documents.
private enum JSONDocuments {
  /// JSON to a value: a written value reads back equal.
  static func read(_ bytes: UnsafeRawBufferPointer) throws {
    guard let value = try? JSONValue(parsing: bytes) else { return }
    let text = value.description
    let again = try JSONValue(parsing: text.utf8)
    hold(again == value, "a document reads back equal: \(text)")
    hold(again.description == text, "a document has one written form: \(text)")
  }

  static func seeds() throws -> [[UInt8]] {
    let members = (0..<8_000).map { "\"\($0)\":0" }.joined(separator: ",")
    return Vectors.texts([
      "null", "[true,false]", "-12", "1.5e-10", "9223372036854775808", "\"é🌊/\"",
      "\"\\u00e9\\ud83c\\udf0a\\/\\b\\f\\n\\r\\t\\\\\\\"\"", "[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]",
      " { \"b\" : 1 ,\r\n\t\"a\" : { \"c\" : [ null ] } } ", "{\(members)}",
    ]) + [try Vectors.file("protocol/vectors/requests.json")]
  }
}
