package import Carillon
import CarillonDocuments
import CarillonLog
package import CarillonModel
import Foundation

/// Small JSON files that are written as a whole and that only their owner can change.
package enum AccessFile {
  static let maxBytes = 16_384

  /// Writes a new file, which must not exist.
  ///
  /// - Throws: `alreadyExists`, `readOnly`, `full`, `io`.
  static func prepare(_ document: JSON, at path: String) throws(StoreError) -> NewFile {
    do {
      let file = try NewFile(at: "\(path).\(UUID().uuidString)")
      try file.write(Array(document.line.utf8))
      return file
    } catch {
      throw StoreError(translating: error)
    }
  }

  /// Reads a file; nil if there is none.
  ///
  /// - Throws: `invalidValue` if others can change it, `corrupt` if it is no JSON object; `io`.
  package static func read(_ path: String) throws(StoreError) -> JSONObject? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      guard errno == ENOENT else { throw StoreError(errno: errno, "cannot open \(path)") }
      return nil
    }
    defer { close(descriptor) }
    return try read(descriptor, path)
  }

  /// Reads an open file from its start.
  ///
  /// - Throws: As ``read(_:)``.
  static func read(_ descriptor: Int32, _ path: String) throws(StoreError) -> JSONObject {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw StoreError(errno: errno, "cannot read \(path)")
    }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= maxBytes else {
      throw damaged(path, "it is not a file of at most \(maxBytes) bytes")
    }
    try ServiceDirectory.requireOwn(status, path)
    var bytes = [UInt8](repeating: 0, count: maxBytes)
    let count = pread(descriptor, &bytes, maxBytes, 0)
    guard count >= 0 else { throw StoreError(errno: errno, "cannot read \(path)") }
    do throws(ModelError) {
      guard case .object(let object) = try JSONValue(parsing: bytes[..<count]) else {
        throw .malformed("one JSON object is required")
      }
      return object
    } catch {
      throw damaged(path, error.message)
    }
  }

  static func damaged(_ path: String, _ problem: String) -> StoreError {
    StoreError(
      code: .corrupt, message: "\(path) is damaged: \(problem)",
      hint: "remove the file, and invite its device again")
  }
}

extension JSONObject {
  /// The text of a member; nil if it is absent or something else.
  func text(_ name: String) -> String? {
    if case .text(let text)? = self[name] { text } else { nil }
  }
}
