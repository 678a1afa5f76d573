import CarillonModel
internal import CarillonSync
internal import Synchronization

/// One end of a lossless transport within a process.
///
/// There is no time limit, because either side may still send a message while it works on a slow
/// log. When both sides wait and no message is in transit, none will ever come, and the
/// initiator's ``receive()`` throws immediately.
struct LocalTransport: SyncTransport {
  private let exchange: Exchange
  private let side: Side

  /// Returns the two ends of a transport: the initiator's and the responder's.
  ///
  /// The initiator's window limits the number of messages in transit.
  static func pair() -> (initiator: LocalTransport, responder: LocalTransport) {
    let exchange = Exchange()
    return (
      LocalTransport(exchange: exchange, side: .initiator),
      LocalTransport(exchange: exchange, side: .responder)
    )
  }

  func send(_ message: [UInt8]) {
    exchange.put(message, for: side.other)
  }

  func receive() async throws -> SyncArrival {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { exchange.wait($0, at: side) }
    } onCancel: {
      exchange.cancel(side)
    }
  }

  func close() {
    exchange.close(side)
  }
}

extension LocalTransport {
  private enum Side: Int {
    case initiator, responder

    var other: Side { self == .initiator ? .responder : .initiator }
  }

  /// The state shared by both ends.
  private final class Exchange: Sendable {
    typealias Waiter = CheckedContinuation<SyncArrival, any Error>

    private struct End {
      var incoming: [[UInt8]] = []
      var waiter: Waiter?
      var isClosed = false
      var isCancelled = false
    }

    private let ends = Mutex([End(), End()])

    func put(_ message: [UInt8], for side: Side) {
      let waiter = ends.withLock { ends -> Waiter? in
        guard let waiter = ends[side.rawValue].waiter.take() else {
          ends[side.rawValue].incoming.append(message)
          return nil
        }
        return waiter
      }
      waiter?.resume(returning: .message(message))
    }

    /// Resumes the waiter with a message that has already arrived, or with the next one.
    func wait(_ waiter: Waiter, at side: Side) {
      let ready = ends.withLock { ends -> (Waiter, Result<SyncArrival, any Error>)? in
        if ends[side.rawValue].isCancelled { return (waiter, .failure(CancellationError())) }
        if !ends[side.rawValue].incoming.isEmpty {
          return (waiter, .success(.message(ends[side.rawValue].incoming.removeFirst())))
        }
        if ends[side.other.rawValue].isClosed { return (waiter, .success(.closed)) }
        ends[side.rawValue].waiter = waiter
        guard ends[side.other.rawValue].waiter != nil else { return nil }
        return ends[Side.initiator.rawValue].waiter.take().map { ($0, .failure(Self.stalled)) }
      }
      if let (waiter, result) = ready { waiter.resume(with: result) }
    }

    func cancel(_ side: Side) {
      let waiter = ends.withLock { ends -> Waiter? in
        ends[side.rawValue].isCancelled = true
        return ends[side.rawValue].waiter.take()
      }
      waiter?.resume(throwing: CancellationError())
    }

    func close(_ side: Side) {
      let waiter = ends.withLock { ends -> Waiter? in
        ends[side.rawValue].isClosed = true
        return ends[side.other.rawValue].waiter.take()
      }
      waiter?.resume(returning: .closed)
    }

    private static let stalled = SyncError(
      code: .unreachable, message: "both sides wait for a message, and none is in transit")
  }
}
