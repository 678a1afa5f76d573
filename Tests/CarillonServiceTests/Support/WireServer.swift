#if Service
import Foundation
import Testing

/// A server of a test, which answers each request with any bytes.
///
/// Each connection has a thread, so that no test blocks the threads of tasks.
final class WireServer: Sendable {
  /// Answers one request; returns whether the connection is kept.
  typealias Handler = @Sendable (_ request: WireRequest, _ peer: WirePeer) -> Bool

  let port: Int
  private let listener: Int32

  init(_ handler: @escaping Handler) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 64) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    try #require(isBound)
    (self.listener, port) = (listener, Int(in_port_t(bigEndian: address.sin_port)))
    Thread.detachNewThread {
      while true {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { break }
        Thread.detachNewThread {
          let peer = WirePeer(descriptor)
          while let request = peer.request(), handler(request, peer) {}
          peer.close()
        }
      }
      close(listener)
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
  }
}

/// A request as it came over a connection.
struct WireRequest: Sendable {
  /// The head, with the empty line at its end.
  let head: String
  let body: [UInt8]

  var isStream: Bool { head.contains("text/event-stream") }

  /// Returns the answer of the service at a port; nil if it ends before the end of one.
  func answer(ofServiceAt port: Int) -> (head: String, body: [UInt8])? {
    guard let upstream = WirePeer(port: port) else { return nil }
    defer { upstream.close() }
    upstream.send(bytes(forServiceAt: port))
    return upstream.message()
  }

  /// The bytes of the request for the service at a port, which accepts only its own address.
  func bytes(forServiceAt port: Int) -> [UInt8] {
    let head = head.replacing(/(?i)\r\nhost: *[^\r]*/, with: "\r\nHost: 127.0.0.1:\(port)")
    return Array(head.utf8) + body
  }
}

/// The other end of a connection, read and written by one thread.
final class WirePeer {
  private let descriptor: Int32
  private var unread: [UInt8] = []

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Connects to a port of this computer; nil if that fails.
  convenience init?(port: Int) {
    guard let descriptor = connectedSocket(port: port) else { return nil }
    self.init(descriptor)
  }

  func close() { Foundation.close(descriptor) }

  /// Sends bytes; returns false if the connection has ended.
  @discardableResult
  func send(_ bytes: some Sequence<UInt8>) -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Sends an answer with a body.
  @discardableResult
  func answer(_ status: String, _ type: String, _ body: [UInt8], _ fields: String...) -> Bool {
    let lines = ["HTTP/1.1 \(status)", "Content-Type: \(type)", "Content-Length: \(body.count)"]
    return send((lines + fields).joined(separator: "\r\n").utf8 + Array("\r\n\r\n".utf8) + body)
  }

  /// Returns the next bytes; nil at the end.
  func piece() -> [UInt8]? {
    if !unread.isEmpty {
      defer { unread = [] }
      return unread
    }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = read(descriptor, &buffer, buffer.count)
    return count > 0 ? Array(buffer[..<count]) : nil
  }

  /// Returns the next request; nil at the end.
  func request() -> WireRequest? { message().map { WireRequest(head: $0, body: $1) } }

  /// Returns the head and the body of the next request or answer; nil at the end.
  func message() -> (head: String, body: [UInt8])? {
    var bytes: [UInt8] = []
    var end: Int?
    while end == nil {
      guard let piece = piece() else { return nil }
      bytes += piece
      end = bytes.indices.dropLast(3).first { bytes[$0..<$0 + 4] == [13, 10, 13, 10] }
    }
    let head = String(decoding: bytes[..<((end ?? 0) + 4)], as: UTF8.self)
    let length = head.firstMatch(of: /(?i)\r\ncontent-length: *(\d+)/).flatMap { Int($0.output.1) }
    var body = Array(bytes.dropFirst((end ?? 0) + 4))
    while body.count < length ?? 0 {
      guard let piece = piece() else { return nil }
      body += piece
    }
    unread = Array(body.dropFirst(length ?? 0))
    return (head, Array(body.prefix(length ?? 0)))
  }
}
#endif
