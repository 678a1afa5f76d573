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

  package init(
    address: URL, credential: String = AccessSecret(byteCount: AccessSecret.credentialBytes).text,
    key: String?, role: Device.Role?
  ) {
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
    try names(of: store).filter { $0.hasSuffix(".json") }.sorted()
      .map { directory(of: store).appending(path: $0) }
  }

  private static func names(of store: URL) throws(StoreError) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: directory(of: store).path)
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
    return try joins(of: store).contains { $0 != own }
  }

  /// Whether a directory has the credential of a service, also one that a join was interrupted for.
  package static func hasJoin(_ store: URL) -> Bool {
    (try? joins(of: store))?.isEmpty == false
  }

  /// Returns the names of the files of services, also of those that a join was interrupted for.
  private static func joins(of store: URL) throws(StoreError) -> [String] {
    try names(of: store).compactMap { name in
      let file =
        name.hasSuffix(PendingRemote.suffix)
        ? String(name.dropLast(PendingRemote.suffix.count)) : name
      return file.hasSuffix(".json") ? file : nil
    }
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
  private static func isCredential(_ text: String) -> Bool {
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

/// The lock by which one process at a time joins in a store's directory.
package struct JoinLock: Sendable {
  private let lock: DirectoryLock
  private let made: MadeDirectories

  /// Takes the lock, and creates the directory if it is missing.
  ///
  /// - Throws: `busy` if another process joins there; `readOnly`, `full`, `io`.
  package init(in store: URL) async throws {
    do {
      (lock, made) = try await DirectoryLock.making(
        RemoteService.directory(of: store).path, within: .zero, "joining in")
    } catch {
      throw StoreError(translating: error)
    }
  }

  /// Removes the directories that were created, if nothing was put there.
  package func release() {
    made.remove()
    lock.release()
  }
}

/// The credential that this device made for a service, which has not confirmed it yet.
///
/// It is stored before the service gets it. So after a kill at any moment, the device repeats the
/// exchange of its invitation with the same credential. Until the service confirms it, the file is
/// `remotes/HOST_PORT.json.joining`.
package struct PendingRemote {
  package let service: RemoteService
  private let file: String
  private let target: String
  private let made: MadeDirectories

  fileprivate static let suffix = ".joining"

  /// Returns the service with the credential that an interrupted join left in a store's directory;
  /// nil if there is none.
  package static func service(at address: URL, in store: URL) -> RemoteService? {
    let file = RemoteService.file(for: address, in: store).path + suffix
    return try? RemoteService(at: URL(filePath: file))
  }

  /// Stores a service in a store's directory, which is created if it is missing.
  ///
  /// - Throws: `readOnly`, `full`, `io`.
  package init(_ service: RemoteService, in store: URL) throws(StoreError) {
    var made = MadeDirectories()
    self.service = service
    target = RemoteService.file(for: service.address, in: store).path
    file = target + Self.suffix
    do throws(LogError) {
      try made.make(RemoteService.directory(of: store).path)
      try Self.write(Array(service.json.line.utf8), to: file)
      try made.sync()
    } catch {
      made.remove()
      throw StoreError(translating: error)
    }
    self.made = made
  }

  private static func write(_ bytes: [UInt8], to file: String) throws(LogError) {
    let path = file + ".new"
    // A killed process may have left it.
    unlink(path)
    let new = try NewFile(at: path)
    try new.write(bytes)
    try new.finish(replacing: file)
  }

  /// Makes this the service of the store, in place of an earlier one, and removes what killed
  /// processes left beside its file.
  ///
  /// - Throws: `readOnly`, `io`.
  package func finish() throws(StoreError) {
    guard rename(file, target) == 0 else {
      throw StoreError(errno: errno, "cannot replace \(target)")
    }
    let directory = MadeDirectories.parent(of: target)
    do {
      try MadeDirectories.sync(directory)
    } catch {
      throw StoreError(translating: error)
    }
    let prefix = URL(filePath: target).lastPathComponent + "."
    for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    where name.hasPrefix(prefix) {
      unlink("\(directory)/\(name)")
    }
  }

  /// Removes the credential, and the directories that were created for it.
  package func remove() {
    unlink(file)
    made.remove()
  }
}
