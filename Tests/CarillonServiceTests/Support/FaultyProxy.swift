#if Service
import CarillonTestSupport
import Foundation
import Synchronization

/// A proxy in front of a service that cuts connections, loses, repeats and delays, by a seed.
final class FaultyProxy: Sendable {
  private let server: WireServer

  /// - Parameter probability: How likely each request meets a fault.
  init(to service: Int, _ probability: Double, seed: UInt64) throws {
    let generator = Mutex(SeededGenerator(seed: seed))
    server = try WireServer { request, peer in
      let (hasFault, fault) = generator.withLock { generator in
        (
          Double.random(in: 0..<1, using: &generator) < probability,
          Fault.allCases.randomElement(using: &generator) ?? .delay
        )
      }
      if request.isStream {
        Self.pass(request, to: service, peer, endsSoon: hasFault)
        return false
      }
      return Self.pass(request, to: service, peer, hasFault ? fault : nil)
    }
  }

  var port: Int { server.port }

  private enum Fault: CaseIterable {
    case cutBefore, cutAfter, cutWithin, twice, delay, badGateway
  }

  /// Passes a request and its answer; returns whether the connection is kept.
  private static func pass(
    _ request: WireRequest, to service: Int, _ peer: WirePeer, _ fault: Fault?
  ) -> Bool {
    if fault == .cutBefore { return false }
    if fault == .badGateway {
      return peer.answer("502 Bad Gateway", "text/html", Array("<p>".utf8))
    }
    if fault == .delay { usleep(100_000) }
    if fault == .twice { _ = request.answer(ofServiceAt: service) }
    guard let answer = request.answer(ofServiceAt: service), fault != .cutAfter else {
      return false
    }
    let bytes = Array(answer.head.utf8) + answer.body
    guard fault != .cutWithin else {
      peer.send(bytes.prefix(bytes.count - 1))
      return false
    }
    return peer.send(bytes)
  }

  /// Passes a stream until one side ends it.
  private static func pass(
    _ request: WireRequest, to service: Int, _ peer: WirePeer, endsSoon: Bool
  ) {
    guard let upstream = WirePeer(port: service) else { return }
    defer { upstream.close() }
    upstream.send(request.bytes(forServiceAt: service))
    var pieceCount = 0
    while let piece = upstream.piece(), peer.send(piece) {
      pieceCount += 1
      if endsSoon, pieceCount == 3 { return }
    }
  }
}
#endif
