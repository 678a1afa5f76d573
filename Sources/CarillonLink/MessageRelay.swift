#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import Synchronization

/// Passes the messages of an initiator on a pipe to a service, one after the other, and the answers
/// back.
///
/// A message whose connection breaks is sent again over another one. The responder keeps nothing
/// between messages, so a repeated message does no harm.
final class MessageRelay: Sendable {
  private let connector: Connector
  private let transport: PipeTransport
  /// How long a message may be unanswered, with all attempts.
  private let limit: Duration
  /// How long one answer may take, and how long a message may wait for another attempt.
  private let answerLimit: Duration
  private let channel = Mutex<(any Channel)?>(nil)
  /// The highest percentage of the quota that was reported.
  private let percent = Mutex(UInt64(0))

  private static let maxAttempts = 9
  private static let maxPause = Duration.seconds(1)

  init(
    _ connector: Connector, _ transport: PipeTransport, limit: Duration, answerLimit: Duration
  ) {
    (self.connector, self.transport) = (connector, transport)
    (self.limit, self.answerLimit) = (limit, answerLimit)
  }

  /// Closes the connection, so that the next message, or the unanswered one, goes over another.
  func renew() {
    channel.withLock { $0 }?.close(promise: nil)
  }

  /// Runs until the initiator ends.
  ///
  /// - Throws: ``LinkFailure`` if the service refuses a message, or does not answer it.
  func run() async throws {
    var message: [UInt8]?
    var (attempts, waited) = (0, Duration.zero)
    var deadline = ContinuousClock.now + limit
    while true {
      if message == nil {
        message = try await receive()
        deadline = .now + limit
      }
      guard message != nil else { return }
      do {
        try await connector.withConnection(Liveness(checksIdle: false)) { connection in
          channel.withLock { [channel = connection.channel] in $0 = channel }
          defer { channel.withLock { $0 = nil } }
          while let bytes = message {
            let left = ContinuousClock.now.duration(to: deadline)
            let answer = try await exchange(bytes, over: &connection, within: left)
            (message, attempts, waited) = (nil, 0, .zero)
            try await StoreError.translating { try await transport.send(answer) }
            message = try await receive()
            deadline = .now + limit
          }
        }
      } catch let error where error is LinkFailure || error is StoreError {
        throw error
      } catch {
        try Task.checkCancellation()
        let lost = error as? Lost ?? Lost(reason: "\(ConnectionEnd(error) ?? ConnectionEnd())")
        attempts += 1
        let pause = lost.wait ?? pause(after: attempts)
        waited += pause
        guard .now + pause < deadline else {
          throw lost.failure
            ?? .silent(
              "\(connector.place.text) did not answer a message within \(limit.secondsText)")
        }
        guard attempts < Self.maxAttempts, waited <= answerLimit else {
          throw lost.failure
            ?? .unreachable(
              "\(connector.place.text) did not answer a message in \(attempts) attempts: "
                + lost.reason)
        }
        try await Task.sleep(for: pause)
      }
    }
  }

  // MARK: -

  /// The message counts as lost.
  private struct Lost: Error {
    let reason: String
    /// How long the service asks to wait, and the failure of a program that does not.
    var wait: Duration?
    var failure: LinkFailure?
  }

  /// Returns the next message; nil if the initiator has ended.
  private func receive() async throws -> [UInt8]? {
    let arrival = try await StoreError.translating { try await transport.receive() }
    guard case .message(let message) = arrival else { return nil }
    return message
  }

  private func exchange(
    _ message: [UInt8], over connection: inout ServiceConnection, within left: Duration
  ) async throws -> [UInt8] {
    let answer: ServiceAnswer
    do {
      answer = try await connection.ask(
        .post, "/v1/sync", accept: Self.type, body: message, type: Self.type,
        within: max(.zero, min(answerLimit, left)))
    } catch let error as HTTPParserError where error != .invalidEOFState {
      throw LinkFailure.malformed("\(connection.place.text) does not speak HTTP: \(error)")
    }
    switch answer.refusal {
    case .end(let failure): throw failure
    case .lost(let failure): throw Lost(reason: failure.message, failure: failure)
    case .wait(let duration, let failure):
      throw Lost(reason: failure.message, wait: duration, failure: failure)
    case nil: break
    }
    guard answer.type == Self.type else {
      throw LinkFailure.malformed(
        "\(connection.place.text) answered a message with \"\(answer.type.prefix(100))\"; "
          + "\(Self.type) is required")
    }
    if let use = answer.byteUse { report(use) }
    return answer.body
  }

  /// Prints the use of the quota for the command line, again when it has grown by a percent.
  ///
  /// The percentage ends at 100, so that a service cannot fill the file that collects the lines.
  private func report(_ use: ByteUse) {
    let isNews = percent.withLock { last in
      defer { last = max(last, use.percent) }
      return use.percent > last
    }
    guard isNews else { return }
    let json: JSON = ["quota": use.json]
    StandardStream.errors.write(json.line)
  }

  /// Returns the pause before another attempt; the first one comes at once, since a service may
  /// close an idle connection.
  private func pause(after attempts: Int) -> Duration {
    attempts == 1 ? .zero : min(.milliseconds(100) * (1 << attempts), Self.maxPause)
  }

  private static let type = "application/octet-stream"
}
#endif
