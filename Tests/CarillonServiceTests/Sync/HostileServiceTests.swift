#if Service
import CarillonTestSupport
import Foundation
import Synchronization
import Testing

/// `carillon sync` with servers that are no service, or a hostile one.
@Suite struct HostileServiceTests {
  private static let type = "application/octet-stream"

  /// What a server sends for every request.
  enum Answer: String, CaseIterable, CustomTestStringConvertible {
    case redirect, page, tooLarge, endless, garbage, missing, denied, busyForLong, busyAgain
    case silentEnd, emptyAnswers, nonsense

    var testDescription: String { rawValue }

    /// The exit code of the sync, and a part of its error.
    var expected: (status: Int32, text: String) {
      switch self {
      case .redirect: (76, "redirects to another address")
      case .page: (76, "application/octet-stream is required")
      case .tooLarge, .endless: (76, "more than 60000 bytes")
      case .garbage: (76, "does not speak HTTP")
      case .silentEnd: (69, "did not answer a message in 9 attempts")
      case .missing: (76, "answered 404")
      case .denied: (77, "refuses this device: the credential was revoked")
      case .busyForLong: (75, "accepts the next request in 9,999 seconds")
      case .busyAgain: (75, "accepts the next request in 5 seconds: the disk is full")
      case .emptyAnswers, .nonsense: (76, "hint: ")
      }
    }

    func send(to peer: WirePeer) -> Bool {
      switch self {
      case .redirect:
        peer.answer("307 Temporary Redirect", "text/plain", [], "Location: http://127.0.0.1:1/")
      case .page: peer.answer("200 OK", "text/html", Array("<p>Welcome".utf8))
      case .tooLarge: peer.answer("200 OK", type, [UInt8](repeating: 1, count: 60_001))
      case .endless: endless(peer)
      case .garbage: peer.send("SSH-2.0-OpenSSH_9.2p1\r\n".utf8)
      case .missing: peer.answer("404 Not Found", "text/html", Array("<p>".utf8))
      case .denied:
        peer.answer(
          "401 Unauthorized", "application/problem+json",
          Array(#"{"detail":"the credential was revoked"}"#.utf8))
      case .busyForLong:
        peer.answer("429 Too Many Requests", "text/plain", [], "Retry-After: 9999")
      case .busyAgain:
        peer.answer(
          "503 Service Unavailable", "application/problem+json",
          Array(#"{"detail":"the disk is full"}"#.utf8), "Retry-After: 5")
      case .silentEnd: false
      case .emptyAnswers: peer.answer("200 OK", type, [])
      case .nonsense: peer.answer("200 OK", type, Array("nonsense".utf8))
      }
    }

    private func endless(_ peer: WirePeer) -> Bool {
      let head = "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nTransfer-Encoding: chunked\r\n\r\n"
      guard peer.send(head.utf8) else { return false }
      let chunk = Array("1000\r\n".utf8) + [UInt8](repeating: 1, count: 4_096) + [13, 10]
      while peer.send(chunk) {}
      return false
    }

    private var type: String { HostileServiceTests.type }
  }

  @Test("A server that is no service ends the sync with a reason", arguments: Answer.allCases)
  func strangers(answer: Answer) async throws {
    let bench = try await ServiceBench.make()
    let server = try WireServer { _, peer in answer.send(to: peer) }
    let sync = try await bench.link(
      "sync", "http://127.0.0.1:\(server.port)", credential: "secret")
    #expect(sync.status == answer.expected.status, "\(sync)")
    #expect(sync.errors.contains(answer.expected.text), "\(sync)")
    #expect(!sync.errors.contains("secret") && sync.errors.contains("\nhint: "), "\(sync)")
  }

  @Test("A service that does not answer is named, with the time that it had")
  func stopped() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let address = "http://127.0.0.1:\(service.port)"
    service.program.signal(SIGSTOP)
    let sync = try await bench.link(
      "sync", address, "--stall-timeout", "5s", credential: service.token)
    service.program.signal(SIGCONT)
    let text = "\(address) did not answer a message within 4 seconds\nhint: check"
    #expect(sync.status == 69 && sync.errors.contains(text), "\(sync)")
  }

  @Test("A service that asks to wait is asked again after that time")
  func busy() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let clone = try await bench.link(
      "clone", "http://127.0.0.1:\(service.port)", bench.path("watch"), "--replica", "watch",
      credential: service.token)
    try #require(clone.status == 0, "\(clone)")
    let count = Counter()
    let port = service.port
    let server = try WireServer { request, peer in
      guard count.next() > 2 else {
        return peer.answer("429 Too Many Requests", "text/plain", [], "Retry-After: 1")
      }
      guard let answer = request.answer(ofServiceAt: port) else { return false }
      return peer.send(Array(answer.head.utf8) + answer.body)
    }
    let sync = try await bench.link(
      "sync", "http://127.0.0.1:\(server.port)", "--store", bench.path("watch"),
      credential: service.token)
    #expect(sync.status == 0 && count.next() == 4, "\(sync)")
  }

  private final class Counter: Sendable {
    private let value = Mutex(0)

    func next() -> Int {
      value.withLock { value in
        value += 1
        return value
      }
    }
  }
}
#endif
