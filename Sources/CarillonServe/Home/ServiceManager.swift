#if Service
import CarillonDocuments
import Foundation
import Logging

/// The service manager that started this process, such as systemd.
///
/// It receives each message as a datagram at the socket that the environment names.
final class ServiceManager: Sendable {
  /// The time without a sign of life after which the manager ends the service; nil for none.
  let patience: Duration?
  /// Open from the start: a process without free descriptors can still report.
  private let descriptor: Int32
  private let address: sockaddr_un
  private let length: socklen_t
  private let logger: Logger

  /// Creates the manager that an environment names; nil if it names none.
  ///
  /// - Throws: ``ServeFailure`` if the name is not that of a socket.
  init?(_ environment: [String: String], _ logger: Logger) throws(ServeFailure) {
    guard let name = environment["NOTIFY_SOCKET"], !name.isEmpty else { return nil }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // The last byte is the zero at the end of a path.
    let limit = MemoryLayout.size(ofValue: address.sun_path) - 1
    guard name.hasPrefix("/") || name.hasPrefix("@"), (2...limit).contains(name.utf8.count) else {
      throw .usage(
        "NOTIFY_SOCKET is \"\(name)\"; an absolute path or @ and a name, of at most \(limit) "
          + "bytes, is required", hint: "unset NOTIFY_SOCKET to run without a service manager")
    }
    // An abstract socket has a zero in place of the @, and no zero at its end.
    withUnsafeMutableBytes(of: &address.sun_path) { path in
      path.copyBytes(from: name.utf8)
      if name.hasPrefix("@") { path[0] = 0 }
    }
    let start = MemoryLayout<sockaddr_un>.size - limit - 1
    length = socklen_t(start + name.utf8.count + (name.hasPrefix("@") ? 0 : 1))
    self.address = address
    #if canImport(Darwin)
    descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
    #else
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    #endif
    self.logger = logger
    let isForThis = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
    patience =
      isForThis
      ? environment["WATCHDOG_USEC"].flatMap { Int($0) }.map { .microseconds($0) } : nil
  }

  deinit { close(descriptor) }

  /// Sends a message, such as `READY=1`.
  func say(_ message: String) {
    let bytes = Array(message.utf8)
    let sent = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, bytes, bytes.count, 0, $0, length)
      }
    }
    guard sent != bytes.count else { return }
    let reason = String(cString: strerror(errno))
    logger.warning("the service manager cannot be reached", metadata: ["error": "\(reason)"])
  }
}
#endif
