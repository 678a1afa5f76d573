package import Carillon
import CarillonDocuments
import CarillonLog
import CarillonModel
package import Foundation

/// The services of a store that run now.
///
/// Each keeps a file with its address, which it holds locked for its life. The system releases the
/// lock of a process that was killed, so that its file is recognized and removed.
package struct RunningServices: Sendable {
  private let directory: URL

  /// Finds the files of a store.
  ///
  /// - Throws: `invalidValue` if others can change the directory; `readOnly`, `full`, `io`.
  package init(of store: URL) throws(StoreError) {
    directory = try ServiceDirectory(of: store).directory("running")
  }

  /// A service that runs.
  package struct Service: Hashable, Sendable {
    /// The address, whose path ends with a slash.
    package let address: URL
    /// The pin of its key, as in a link.
    package let key: String?
    /// Whether it accepts connections of other computers, which need an address for that.
    package let isOpen: Bool

    package init(address: URL, key: String?, isOpen: Bool) {
      (self.address, self.key, self.isOpen) = (address, key, isOpen)
    }

    /// Whether only this computer can reach the address.
    package var isLoopback: Bool { ServiceAddress.isLoopback(address.host ?? "") }

    /// Returns the link with the code of an invitation.
    package func link(code: String, secret: String? = nil) -> InviteLink {
      InviteLink(address: address, code: code, secret: secret, key: key)
    }
  }

  /// Keeps the file of a service that runs; it is removed when the object is released.
  package final class Entry {
    private let path: String
    // Has the lock.
    private let file: NewFile

    fileprivate init(_ path: String, _ file: NewFile) {
      (self.path, self.file) = (path, file)
    }

    deinit { unlink(path) }
  }

  /// Adds the file of a service of this process, and removes those of services that were killed.
  ///
  /// - Throws: `readOnly`, `full`, `io`.
  package func add(_ service: Service) throws(StoreError) -> Entry {
    ServiceDirectory.removeUnfinished(in: directory)
    for name in try ServiceDirectory.files(in: directory) {
      // What cannot be read stays: the next list says why.
      _ = try? self.service(directory.appending(path: name).path)
    }
    let path = directory.appending(path: "\(UUID().uuidString.lowercased()).json").path
    let file = try AccessFile.prepare(
      [
        "address": .text(service.address.absoluteString), "key": .text(service.key),
        "open": .bool(service.isOpen),
      ], at: path)
    // The lock belongs to the file, whatever its name is: nobody sees it unlocked.
    guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw StoreError(errno: errno, "cannot lock \(file.path)")
    }
    do {
      try file.finish(as: path)
    } catch {
      throw StoreError(translating: error)
    }
    // Now, and not with the object: nothing else removes it if the process is killed.
    unlink(file.path)
    return Entry(path, file)
  }

  /// Lists the services that run, those that other computers can reach first.
  ///
  /// - Throws: `invalidValue` if others can change a file, `corrupt`, `io`.
  package func list() throws(StoreError) -> [Service] {
    var services: [Service] = []
    for name in try ServiceDirectory.files(in: directory) {
      if let service = try service(directory.appending(path: name).path) {
        services.append(service)
      }
    }
    return services.filter { !$0.isLoopback } + services.filter(\.isLoopback)
  }

  /// Reads a file; nil if its service has ended.
  private func service(_ path: String) throws(StoreError) -> Service? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      guard errno == ENOENT else { throw StoreError(errno: errno, "cannot open \(path)") }
      return nil
    }
    defer { close(descriptor) }
    // A shared lock, so that of two readers neither takes the other for the service.
    if flock(descriptor, LOCK_SH | LOCK_NB) == 0 {
      unlink(path)
      return nil
    }
    guard errno == EWOULDBLOCK else { throw StoreError(errno: errno, "cannot lock \(path)") }
    let object = try AccessFile.read(descriptor, path)
    guard let address = object.text("address").flatMap({ URL(string: $0) }) else {
      throw AccessFile.damaged(path, "it has no address")
    }
    return Service(
      address: address, key: object.text("key"), isOpen: object["open"] == .bool(true))
  }
}
