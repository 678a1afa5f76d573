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
  /// The role that the invitation gave to this device; nil if an earlier build wrote the file.
  package let role: Device.Role?

  package init(address: URL, credential: String, key: String?, role: Device.Role?) {
    (self.address, self.credential, self.key, self.role) = (address, credential, key, role)
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

  /// Whether a directory has the credential of a service other than the one at an address.
  ///
  /// - Throws: `io`, `readOnly`.
  package static func isOther(than address: URL, in store: URL) throws(StoreError) -> Bool {
    let own = file(for: address, in: store).lastPathComponent
    return try files(of: store).contains { $0.lastPathComponent != own }
  }

  /// Returns the addresses of all services that a store joined; those in unreadable files are left
  /// out.
  package static func addresses(of store: URL) -> [URL] {
    ((try? files(of: store)) ?? []).compactMap { try? RemoteService(at: $0).address }
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
      let credential = object.text("credential"), Self.isCredential(credential)
    else { throw AccessFile.damaged(path, "it has no address of a service, or no credential") }
    self.init(
      address: address, credential: credential, key: object.text("key"),
      role: object.text("role").flatMap { Device.Role(rawValue: $0) })
  }

  /// Whether a text has the form of the credential of a device.
  package static func isCredential(_ text: String) -> Bool {
    AccessSecret(text, byteCount: AccessSecret.credentialBytes) != nil
  }

  fileprivate var json: JSON {
    [
      "address": .text(address.absoluteString), "credential": .text(credential),
      "key": .text(key), "role": .text(role?.rawValue),
    ]
  }

  fileprivate static func directory(of store: URL) -> URL {
    store.appending(path: Store.remotes, directoryHint: .isDirectory)
  }
}

/// The place of a file that will have the credential of a service: its space on the disk is taken
/// before the credential is asked for, since an invitation is used up by that.
///
/// The directories that were created for it are removed with ``remove()``.
package struct RemoteReservation {
  private let file: NewFile
  private let target: String
  private let made: MadeDirectories

  /// Reserves the file of the service at an address, in a store's directory, which is created if it
  /// is missing.
  ///
  /// - Throws: `readOnly`, `full`, `io`.
  package init(for address: URL, in store: URL) throws(StoreError) {
    var made = MadeDirectories()
    target = RemoteService.file(for: address, in: store).path
    do throws(LogError) {
      file = try Self.reserve(target, in: RemoteService.directory(of: store), &made)
    } catch {
      made.remove()
      throw StoreError(translating: error)
    }
    self.made = made
  }

  private static func reserve(
    _ target: String, in directory: URL, _ made: inout MadeDirectories
  ) throws(LogError) -> NewFile {
    try made.make(directory.path)
    let file = try NewFile(at: "\(target).\(UUID().uuidString)")
    try file.write([UInt8](repeating: 0x20, count: AccessFile.maxBytes))
    try MadeDirectories.sync(file.descriptor, of: file.path)
    try made.sync()
    return file
  }

  /// Writes the service into the file, which replaces an earlier one.
  ///
  /// - Throws: `readOnly`, `full`, `io`.
  package func save(_ service: RemoteService) throws(StoreError) {
    do throws(StoreError) {
      try write(Array(service.json.line.utf8))
    } catch {
      remove()
      throw error
    }
  }

  private func write(_ bytes: [UInt8]) throws(StoreError) {
    guard bytes.count <= AccessFile.maxBytes else {
      throw StoreError(
        code: .invalidValue,
        message:
          "the service takes \(bytes.count) bytes; at most \(AccessFile.maxBytes) are allowed")
    }
    guard pwrite(file.descriptor, bytes, bytes.count, 0) == bytes.count,
      ftruncate(file.descriptor, off_t(bytes.count)) == 0
    else { throw StoreError(errno: errno, "cannot write \(file.path)") }
    do {
      try file.finish(replacing: target)
    } catch {
      throw StoreError(translating: error)
    }
  }

  /// Removes the file, and the directories that were created for it.
  package func remove() {
    unlink(file.path)
    made.remove()
  }
}
