package import Carillon
import CarillonLog
package import Foundation

/// A service with which a store syncs: its address, this device's credential, and the key by which
/// the service is recognized.
///
/// It is a file of the store, `remotes/HOST_PORT.json`, which only the owner can read.
package struct RemoteService: Hashable, Sendable, Codable {
  /// The address of the service, such as `https://host:8787/`.
  package let address: URL
  /// The secret of this device.
  package let credential: String
  /// The pin of the service's key; nil if the authorities of the system confirm the certificate.
  package let key: String?

  package init(address: URL, credential: String, key: String?) {
    (self.address, self.credential, self.key) = (address, credential, key)
  }

  private static let directoryName = "remotes"
  private static let maxBytes = 16_384

  /// Returns the file of the service at an address, in a store's directory.
  package static func file(for address: URL, in store: URL) -> URL {
    let host = (address.host() ?? "").lowercased()
    let port = address.port ?? (address.scheme == "http" ? 80 : 443)
    return directory(of: store).appending(path: "\(host)_\(port).json")
  }

  /// Returns the files of all services of a store.
  ///
  /// - Throws: `io`, `readOnly`.
  package static func files(of store: URL) throws(StoreError) -> [URL] {
    do {
      let names = try FileManager.default.contentsOfDirectory(atPath: directory(of: store).path)
      return names.filter { $0.hasSuffix(".json") }.sorted()
        .map { directory(of: store).appending(path: $0) }
    } catch CocoaError.fileReadNoSuchFile {
      return []
    } catch {
      throw StoreError(translating: error)
    }
  }

  /// Reads a file.
  ///
  /// - Throws: `notFound` if there is none; `invalidValue` if others can read or write it, or if it
  ///   has something else; `io`.
  package init(at file: URL) throws(StoreError) {
    let bytes = try Self.read(file.path)
    do {
      self = try JSONDecoder().decode(RemoteService.self, from: bytes)
    } catch {
      throw Self.refusal("\(file.path) does not describe a service", cause: error)
    }
    let isWhole =
      ["https", "http"].contains(address.scheme) && address.host()?.isEmpty == false
      && !credential.isEmpty && credential.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    guard isWhole else {
      throw Self.refusal("\(file.path) has no address of a service, or no credential")
    }
  }

  /// Writes the file in a store's directory, and replaces an earlier one.
  ///
  /// - Returns: The file.
  /// - Throws: `readOnly`, `full`, `io`.
  @discardableResult
  package func save(in store: URL) throws(StoreError) -> URL {
    let file = Self.file(for: address, in: store)
    return try StoreError.translating {
      let directory = Self.directory(of: store).path
      guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
        throw StoreError(
          code: .init(errno: errno),
          message: "cannot create \(directory): \(String(cString: strerror(errno)))")
      }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      let new = try NewFile(at: "\(file.path).\(UUID().uuidString)")
      try new.write(Array(try encoder.encode(self)) + [0x0A])
      try new.finish(replacing: file.path)
      return file
    }
  }

  // MARK: -

  private static func directory(of store: URL) -> URL {
    store.appending(path: directoryName, directoryHint: .isDirectory)
  }

  private static func read(_ path: String) throws(StoreError) -> Data {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw StoreError(
        code: .init(errno: errno),
        message: "cannot read \(path): \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw refusal("\(path) is not a file")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw StoreError(
        code: .invalidValue, message: "\(path) can be read or written by other users",
        hint: "remove it, and ask for another invitation; its credential may be known")
    }
    var bytes = [UInt8](repeating: 0, count: maxBytes + 1)
    let count = Foundation.read(descriptor, &bytes, bytes.count)
    guard (0...maxBytes).contains(count) else {
      throw refusal("\(path) cannot be read, or has more than \(maxBytes) bytes")
    }
    return Data(bytes[..<count])
  }

  private static func refusal(_ message: String, cause: (any Error)? = nil) -> StoreError {
    StoreError(
      code: .invalidValue, message: message, hint: "remove it, and ask for another invitation",
      cause: cause)
  }
}
