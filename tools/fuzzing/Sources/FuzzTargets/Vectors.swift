import CarillonModel
import CarillonWire
import Foundation

/// The committed vectors and samples, as seeds.
enum Vectors {
  /// The repository's root, five levels above this file.
  private static let root = (0..<5).reduce(URL(filePath: #filePath)) { url, _ in
    url.deletingLastPathComponent()
  }

  /// Returns the bytes of a file in the repository.
  static func file(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: root.appending(path: path)))
  }

  /// Returns the objects of a list in a file of vectors.
  static func list(_ name: String, in file: String) throws -> [JSONObject] {
    guard case .object(let document) = try JSONValue(parsing: Self.file("protocol/vectors/\(file)"))
    else { return [] }
    return document.list(name)
  }

  /// Returns texts as inputs.
  static func texts(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }
}

extension JSONObject {
  /// Returns the objects of a list in a member.
  func list(_ name: String) -> [JSONObject] {
    guard case .array(let elements) = self[name] else { return [] }
    return elements.compactMap { element in
      if case .object(let object) = element { object } else { nil }
    }
  }

  /// Returns a text.
  func text(_ name: String) -> String? {
    if case .text(let text) = self[name] { text } else { nil }
  }

  /// Returns bytes from hexadecimal digits.
  func bytes(_ name: String) -> [UInt8]? { text(name).flatMap([UInt8].init(hexadecimal:)) }
}
