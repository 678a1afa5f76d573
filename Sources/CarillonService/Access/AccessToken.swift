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
  let directory: ServiceDirectory
  private let file: String

  /// The bytes of the token, from which sessions are derived.
  var key: SymmetricKey { SymmetricKey(data: Data(text.utf8)) }

  private static let byteCount = 32
  private static let textLength = 43

  /// Reads the token of a store, and creates it if there is none.
  ///
  /// - Throws: `invalidValue` if the file has something else, or if others may read it; `readOnly`,
  ///   `full`, `io`.
  package init(of store: URL) throws(StoreError) {
    let directory = try ServiceDirectory(of: store)
    if try Self.read(in: directory) == nil {
      try StoreError.translating { try Self.create(Self.file(in: directory)) }
    }
    guard let token = try Self.read(in: directory) else {
      throw StoreError(
        code: .io, message: "\(Self.file(in: directory)) was removed while it was created")
    }
    self = token
  }

  /// Requires that nobody but the owner can read the file now.
  ///
  /// A removed file is allowed, since the token is valid until the next start.
  ///
  /// - Throws: `invalidValue`, `io`.
  func requireSecrecy() throws(StoreError) {
    try directory.check()
    var status = stat()
    guard lstat(file, &status) == 0 else {
      guard errno == ENOENT else {
        throw StoreError(code: .io, message: "cannot read \(file)")
      }
      return
    }
    try Self.requireSecrecy(of: status, file)
  }

  /// Whether a text is the token; takes equally long for all texts of one length.
  package func matches(_ given: Substring) -> Bool { text.equalsInConstantTime(given) }

  private init(text: String, in directory: ServiceDirectory) {
    (self.text, self.directory) = (text, directory)
    file = Self.file(in: directory)
  }

  private static func file(in directory: ServiceDirectory) -> String {
    directory.url.appending(path: "token").path
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

  /// Returns the token in a directory; nil if there is no file.
  private static func read(in directory: ServiceDirectory) throws(StoreError) -> AccessToken? {
    let file = file(in: directory)
    let descriptor = open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw StoreError(
        code: .invalidValue, message: "cannot open \(file): \(String(cString: strerror(errno)))",
        hint: "remove it; the next start creates another token")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw StoreError(code: .io, message: "cannot read \(file)")
    }
    try requireSecrecy(of: status, file)
    var bytes = [UInt8](repeating: 0, count: textLength + 1)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    let text = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    guard count == textLength, Data(base64URL: text)?.count == byteCount else {
      throw StoreError(
        code: .invalidValue, message: "\(file) has no token, which is \(textLength) characters",
        hint: "remove it; the next start creates another token")
    }
    return AccessToken(text: text, in: directory)
  }

  private static func requireSecrecy(of status: stat, _ file: String) throws(StoreError) {
    let hint = "remove it; the next start creates another token"
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw StoreError(code: .invalidValue, message: "\(file) is no file", hint: hint)
    }
    try ServiceDirectory.requireOwn(status, file, .read, hint: hint)
  }
}
#endif
