#if Service
package import Carillon
import CarillonAccess
import CarillonLog
import CarillonModel
import Crypto
package import Foundation

/// The secret that identifies the owner of a store: 32 random bytes in a file that only the owner
/// can read.
///
/// All services of one store use the same token.
package struct AccessToken: Sendable {
  /// The token as base64url, without padding.
  package let text: String
  private let digest: SHA256.Digest

  /// The bytes of the token, from which sessions are derived.
  var key: SymmetricKey { SymmetricKey(data: Data(text.utf8)) }

  private static let byteCount = 32
  private static let textLength = 43

  /// Reads the token of a store, and creates it if there is none.
  ///
  /// - Throws: `invalidValue` if the file has something else, or if others may read it; `readOnly`,
  ///   `full`, `io`.
  package init(of store: URL) throws(StoreError) {
    let file = try ServiceDirectory(of: store).url.appending(path: "token").path
    if try Self.read(file) == nil { try StoreError.translating { try Self.create(file) } }
    guard let token = try Self.read(file) else {
      throw StoreError(code: .io, message: "\(file) was removed while it was created")
    }
    self = token
  }

  /// Whether a text is the token; takes equally long for all texts of one length.
  package func matches(_ given: some StringProtocol) -> Bool {
    SHA256.hash(data: Data(given.utf8)) == digest
  }

  private init(text: String) {
    self.text = text
    digest = SHA256.hash(data: Data(text.utf8))
  }

  /// Creates the file with a new token, unless another process has created it.
  ///
  /// - Throws: `LogError`.
  private static func create(_ file: String) throws {
    let new = try NewFile(at: "\(file).\(UUID().uuidString)")
    try new.write(Array(Data.random(count: byteCount).base64URL.utf8))
    do throws(LogError) {
      try new.finish(as: file)
    } catch {
      guard error.code == .alreadyExists else { throw error }
    }
  }

  /// Returns the token in a file; nil if there is no file.
  private static func read(_ file: String) throws(StoreError) -> AccessToken? {
    let (mode, bytes): (Int?, Data)
    do {
      mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
      bytes = try Data(contentsOf: URL(filePath: file))
    } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
      return nil
    } catch {
      throw StoreError(translating: error)
    }
    guard let mode, mode & 0o077 == 0 else {
      throw StoreError(
        code: .invalidValue, message: "\(file) can be read by other users",
        hint: "remove it; the next start creates another token")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    guard bytes.count == textLength, Data(base64URL: text)?.count == byteCount else {
      throw StoreError(
        code: .invalidValue, message: "\(file) has no token, which is \(textLength) characters",
        hint: "remove it; the next start creates another token")
    }
    return AccessToken(text: text)
  }
}
#endif
