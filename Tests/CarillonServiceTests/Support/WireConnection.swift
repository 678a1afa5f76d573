#if Service
import Foundation
import Synchronization

/// An answer as it came over a connection.
struct WireAnswer: CustomStringConvertible {
  let status: Int
  /// The fields of the head, with names in lower case.
  let headers: [String: String]
  var body = ""

  var description: String { "\(status) \(headers)\n\(body)" }
}

/// A connection of one test to a service, on which any bytes can be sent.
///
/// A thread reads what arrives, so that no test blocks the threads on which the service may run.
final class WireConnection {
  private let descriptor: Int32
  private let pieces: AsyncStream<[UInt8]>
  private var iterator: AsyncStream<[UInt8]>.Iterator
  /// Lets the thread read; without permission, what arrives waits in the system.
  private let reading: Reading
  private var unread: [UInt8] = []

  private final class Reading: Sendable {
    let isPaused = Atomic(false)
    let hasReceived = Atomic(false)
  }

  init(port: Int) throws {
    guard let descriptor = connectedSocket(port: port) else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    let (pieces, continuation) = AsyncStream.makeStream(of: [UInt8].self)
    let reading = Reading()
    // The thread has a descriptor of its own, which it closes at the end.
    let source = dup(descriptor)
    (self.descriptor, self.reading) = (descriptor, reading)
    (self.pieces, iterator) = (pieces, pieces.makeAsyncIterator())
    Thread.detachNewThread {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        while reading.isPaused.load(ordering: .relaxed) { usleep(5_000) }
        let count = read(source, &buffer, buffer.count)
        guard count > 0 else { break }
        reading.hasReceived.store(true, ordering: .relaxed)
        continuation.yield(Array(buffer[..<count]))
      }
      continuation.finish()
      Foundation.close(source)
    }
  }

  deinit {
    close()
    Foundation.close(descriptor)
  }

  /// Ends the connection in both directions.
  func close() {
    reading.isPaused.store(false, ordering: .relaxed)
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// Stops reading, or goes on with it.
  func pauseReading(_ isPaused: Bool) {
    // Otherwise the system's buffer may grow until it holds all that is sent.
    var size: Int32 = 65_536
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    reading.isPaused.store(isPaused, ordering: .relaxed)
  }

  /// Whether anything has arrived.
  var hasReceived: Bool { reading.hasReceived.load(ordering: .relaxed) }

  /// Sends bytes, as far as the service takes them.
  func send(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Sends a request, and returns the status of its answer; nil if the connection ended before.
  func answering(_ request: String) async -> Int? {
    send(request)
    return await answer()?.status
  }

  // MARK: - Reading

  /// Returns the next line, without its end; nil if the connection ended before.
  func line() async -> String? {
    while true {
      if let end = unread.firstIndex(of: 0x0A) {
        let line = unread[..<end]
        defer { unread.removeFirst(end + 1) }
        return String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
      }
      guard let piece = await iterator.next() else { return nil }
      unread += piece
    }
  }

  /// Returns the head of the next answer; nil if the connection ended before.
  func head() async -> WireAnswer? {
    guard let first = await line(), let status = Int(first.split(separator: " ")[1]) else {
      return nil
    }
    var headers: [String: String] = [:]
    while let line = await line(), !line.isEmpty {
      let parts = line.split(separator: ":", maxSplits: 1)
      headers[parts[0].lowercased()] = parts.last?.trimmingCharacters(in: .whitespaces)
    }
    return WireAnswer(status: status, headers: headers)
  }

  /// Returns the next answer with its body; nil if the connection ended before its end.
  func answer() async -> WireAnswer? {
    guard var answer = await head() else { return nil }
    if let length = answer.headers["content-length"].flatMap({ Int($0) }) {
      guard let bytes = await bytes(length) else { return nil }
      answer.body = bytes
    } else if answer.headers["transfer-encoding"] == "chunked" {
      while let chunk = await chunk() {
        guard !chunk.isEmpty else { return answer }
        answer.body += chunk
      }
      return nil
    }
    return answer
  }

  /// Returns the next chunk of a body; empty at its end, nil if the connection ended before.
  func chunk() async -> String? {
    guard let size = await line().flatMap({ Int($0, radix: 16) }), let text = await bytes(size),
      await line() != nil
    else { return nil }
    return text
  }

  private func bytes(_ count: Int) async -> String? {
    while unread.count < count {
      guard let piece = await iterator.next() else { return nil }
      unread += piece
    }
    defer { unread.removeFirst(count) }
    return String(decoding: unread[..<count], as: UTF8.self)
  }
}
#endif
