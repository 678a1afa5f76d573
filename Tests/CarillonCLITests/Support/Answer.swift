import CarillonDocuments
import Foundation
import Testing

/// The exit code and the output of a process.
struct Answer: Sendable, CustomStringConvertible {
  /// The exit code, or the signal's number.
  let status: Int32
  let wasSignalled: Bool
  let output: String
  let errors: String

  var description: String {
    "\(wasSignalled ? "signal" : "exit") \(status)\noutput: \(output)\nerrors: \(errors)"
  }

  /// The one JSON document that was printed.
  func document(at location: SourceLocation = #_sourceLocation) throws -> Document {
    try #require(status == 0 || status == 1, "\(self)", sourceLocation: location)
    return try Document(json: output)
  }

  /// The JSON documents that were printed, one per line.
  func documents(at location: SourceLocation = #_sourceLocation) throws -> [Document] {
    try #require(status == 0, "\(self)", sourceLocation: location)
    return try output.split(separator: "\n").map { try Document(json: String($0)) }
  }
}

/// A parsed JSON document.
enum Document: Decodable, Equatable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case text(String)
  case list([Document])
  case object([String: Document])

  init(json: String) throws {
    self = try JSONDecoder().decode(Document.self, from: Data(json.utf8))
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([Document].self) {
      self = .list(value)
    } else {
      self = .object(try container.decode([String: Document].self))
    }
  }

  subscript(key: String) -> Document? {
    if case .object(let members) = self { members[key] } else { nil }
  }

  subscript(index: Int) -> Document? {
    list.indices.contains(index) ? list[index] : nil
  }

  var text: String? {
    if case .text(let value) = self { value } else { nil }
  }

  var number: Int? {
    if case .number(let value) = self { Int(value) } else { nil }
  }

  /// The elements of a list; empty for anything else.
  var list: [Document] {
    if case .list(let values) = self { values } else { [] }
  }
}
