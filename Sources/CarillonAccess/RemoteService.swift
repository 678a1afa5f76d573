package import Carillon
import CarillonDocuments
import CarillonLog
import CarillonModel
package import Foundation

/// A service with which a store syncs: its address, this device's credential, and the key by which
/// the service is recognized.
///
/// It is a file of the store, `remotes/HOST_PORT.json`, which only the owner can read.
package struct RemoteService: Hashable, Sendable {
  /// The address of the service, such as `https://host:8787/`.
  package let address: URL
  /// The secret of this device.
  package let credential: String
  /// The pin of the service's key; nil if the authorities of the system confirm the certificate.
  package let key: String?

  package init(address: URL, credential: String, key: String?) {
    (self.address, self.credential, self.key) = (address, credential, key)
  }

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
  /// - Throws: `notFound` if there is none; `invalidValue` if others can read or write it;
  ///   `corrupt` if it has something else; `io`.
  package init(at file: URL) throws(StoreError) {
    let path = file.path
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw StoreError(errno: errno, "cannot open \(path)") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw StoreError(errno: errno, "cannot read \(path)")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw StoreError(
        code: .invalidValue, message: "\(path) can be read or written by other users",
        hint: "remove it, and ask for another invitation, since its credential may be known")
    }
    let object = try AccessFile.read(descriptor, path)
    guard let text = object.text("address"), let address = URL(string: text),
      ["https", "http"].contains(address.scheme), address.host()?.isEmpty == false,
      let credential = object.text("credential"), !credential.isEmpty,
      credential.utf8.allSatisfy({ 0x21...0x7E ~= $0 })
    else { throw AccessFile.damaged(path, "it has no address of a service, or no credential") }
    self.init(address: address, credential: credential, key: object.text("key"))
  }

  /// Writes the file in a store's directory, and replaces an earlier one.
  ///
  /// - Returns: The file.
  /// - Throws: `readOnly`, `full`, `io`.
  @discardableResult
  package func save(in store: URL) throws(StoreError) -> URL {
    let directory = Self.directory(of: store).path
    guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
      throw StoreError(errno: errno, "cannot create \(directory)")
    }
    let file = Self.file(for: address, in: store)
    let new = try AccessFile.prepare(
      [
        "address": .text(address.absoluteString), "credential": .text(credential),
        "key": .text(key),
      ], at: file.path)
    do {
      try new.finish(replacing: file.path)
    } catch {
      throw StoreError(translating: error)
    }
    return file
  }

  private static func directory(of store: URL) -> URL {
    store.appending(path: Store.remotes, directoryHint: .isDirectory)
  }
}
