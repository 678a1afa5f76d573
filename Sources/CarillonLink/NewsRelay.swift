#if Service
import Carillon
import CarillonModel
import CarillonDocuments
import Foundation
import HTTPTypes
import NIOCore

/// Follows the news of a service, and reports them to the initiator on a pipe.
///
/// The first report comes when the stream is open, so that nothing is missed between two streams.
struct NewsRelay: Sendable {
  let connector: Connector
  let transport: PipeTransport
  /// Called when a stream was opened after another one had ended.
  let onReturn: @Sendable () -> Void

  private static let pause = Duration.milliseconds(250)
  private static let longPause = Duration.seconds(5)

  /// Runs until the initiator ends; or until the service turns out to have no news.
  ///
  /// - Throws: ``LinkFailure`` if the service refuses this device, or cannot be reached.
  func run() async throws {
    var wasOpen = false
    while true {
      var pause = Self.pause
      do {
        let next = try await connector.withConnection(Liveness(checksIdle: true)) { connection in
          try await follow(&connection, isReturn: wasOpen)
        }
        switch next {
        case .again:
          wasOpen = true
        case .later: pause = Self.longPause
        case .never: return
        }
      } catch let error where error is LinkFailure || error is StoreError {
        throw error
      } catch {
        // The stream broke, as each does after some time.
        try Task.checkCancellation()
        wasOpen = true
      }
      try await Task.sleep(for: pause)
    }
  }

  // MARK: -

  /// What to do after a stream has ended.
  private enum Next: Sendable {
    case again, later, never
  }

  private func follow(
    _ connection: inout ServiceConnection, isReturn: Bool
  ) async throws -> Next {
    var end = EndTimer(connection.channel, after: NewsReader.usualSilence)
    defer { end.cancel() }
    let head = try await connection.open("/v1/sync", accept: "text/event-stream")
    guard head.status == .ok,
      head.headerFields[.contentType]?.hasPrefix("text/event-stream") == true
    else {
      let answer = try await connection.answer(to: head)
      switch answer.refusal {
      case .end(let failure) where failure.status == .denied: throw failure
      case .end, nil: return .never
      case .wait, .lost: return .later
      }
    }
    var reader = NewsReader()
    var isFirst = isReturn
    while let piece = try await connection.piece() {
      let hasNews = reader.take(piece.readableBytesView)
      end.cancel()
      end = EndTimer(connection.channel, after: reader.silence)
      guard hasNews else { continue }
      if isFirst { onReturn() }
      isFirst = false
      try await StoreError.translating { try await transport.reportNews() }
    }
    return .again
  }
}

/// Reads a stream of server-sent events, of which only the arrival matters.
struct NewsReader {
  /// The time without a byte after which a stream counts as broken.
  private(set) var silence = NewsReader.usualSilence
  private var line: [UInt8] = []

  static let usualSilence = Duration.seconds(20)
  /// No more of a line is kept.
  private static let maxLineBytes = 1_024

  /// Takes a piece of the stream, and returns whether an event is in it.
  mutating func take(_ bytes: some Sequence<UInt8>) -> Bool {
    var hasNews = false
    for byte in bytes {
      guard byte == 0x0A else {
        if line.count < Self.maxLineBytes { line.append(byte) }
        continue
      }
      if line.starts(with: Self.data) {
        hasNews = true
        note(line.dropFirst(Self.data.count))
      }
      line.removeAll(keepingCapacity: true)
    }
    return hasNews
  }

  private static let data = Array("data:".utf8)

  /// Adapts the silence to the heartbeat of the service.
  private mutating func note(_ json: ArraySlice<UInt8>) {
    guard case .object(let object)? = try? JSONValue(parsing: json),
      case .integer(let seconds)? = object["heartbeatSeconds"], 1...3_600 ~= seconds
    else { return }
    let most = Duration.seconds(seconds) * 2.5
    // A sign of life must have time to arrive.
    let isOften = Duration.seconds(seconds) * 1.25 <= Self.usualSilence
    silence = isOften ? min(most, Self.usualSilence) : most
  }
}
#endif
