import Carillon
import CarillonSync
import CarillonTestSupport
import Foundation
import Synchronization

/// A request-and-response transport of an app.
///
/// The peer's `answer(to:)` answers each message; either may be lost, repeated or delayed, as
/// determined by a seed.
final class MessageTransport: SyncTransport {
  private struct State {
    var toPeer: LossyTransport
    var toInitiator: LossyTransport
    var generator: SeededGenerator
    var sent: [[UInt8]] = []
    var greatest = 0
  }

  private let peer: Store
  private let arrival: (@Sendable () throws -> SyncArrival)?
  private let state: Mutex<State>

  /// - Parameter arrival: What arrives instead of answers.
  init(
    to peer: Store, faults: LossyTransport.Faults = .none, seed: UInt64 = 0,
    arrival: (@Sendable () throws -> SyncArrival)? = nil
  ) {
    self.peer = peer
    self.arrival = arrival
    state = Mutex(
      State(
        toPeer: LossyTransport(faults: faults), toInitiator: LossyTransport(faults: faults),
        generator: SeededGenerator(seed: seed)))
  }

  /// All messages that the initiator sent.
  var sent: [[UInt8]] { state.withLock(\.sent) }
  /// The size of the longest message of either side.
  var greatest: Int { state.withLock(\.greatest) }

  func send(_ message: [UInt8]) {
    state.withLock { state in
      state.sent.append(message)
      state.greatest = max(state.greatest, message.count)
      state.toPeer.send(message, using: &state.generator)
    }
  }

  func receive() async throws -> SyncArrival {
    if let arrival { return try arrival() }
    while true {
      if let answer = state.withLock({ $0.toInitiator.receive() }) { return .message(answer) }
      guard let message = state.withLock({ $0.toPeer.receive() }) else { return .quiet }
      let answer = try await peer.answer(to: message)
      state.withLock { state in
        state.greatest = max(state.greatest, answer.count)
        state.toInitiator.send(answer, using: &state.generator)
      }
    }
  }

  func close() {}
}

extension PipeTransport {
  /// Returns the two ends of a transport, over two pipes.
  ///
  /// Their stall interval is longer than any test, since a test may wait long for its turn if many
  /// run at once.
  ///
  /// - Parameter store: The store that the second end names.
  static func pair(naming store: StoreID? = nil) throws -> (PipeTransport, PipeTransport) {
    var (there, back): ([Int32], [Int32]) = ([0, 0], [0, 0])
    guard pipe(&there) == 0, pipe(&back) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE)
    }
    let stallInterval = Duration.seconds(86_400)
    return (
      try PipeTransport(reading: back[0], writing: there[1], stallInterval: stallInterval),
      try PipeTransport(
        reading: there[0], writing: back[1], stallInterval: stallInterval, naming: store)
    )
  }
}
