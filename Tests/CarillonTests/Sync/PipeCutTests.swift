import CarillonLog
import CarillonModel
import CarillonSync
import CarillonTestSupport
import CarillonTesting
import Foundation
import Synchronization
import Testing

@testable import Carillon

/// Pipes that end at any byte.
struct PipeCutTests {
  private static let options = SyncOptions(maxMessageBytes: 20_000)

  @Test(
    "A sync of 10,000 events cut off within any message continues, and sends nothing again",
    arguments: Direction.allCases)
  func cuts(direction: Direction) async throws {
    let (left, right) = try await Self.logs()
    let uncut = CutPipe()
    _ = try await Self.sync(left.copy(isNoticed: false), right.copy(isNoticed: false), over: uncut)
    let messages = try uncut.messages(direction)
    #expect(messages.count > 3)
    var edge = FrameReader.greeting.count
    for message in messages {
      // In its length, in its middle, and before its last byte.
      for offset in [1, 4 + message.count / 2, 3 + message.count] {
        let logs = (left.copy(isNoticed: false), right.copy(isNoticed: false))
        let context: Comment = "\(direction), cut at byte \(edge + offset)"
        let cut = CutPipe(after: edge + offset, of: direction)
        let error = await #expect(throws: SyncError.self, context) {
          try await Self.sync(logs.0, logs.1, over: cut)
        }
        #expect(error?.code == .unreachable, context)
        let held = try Self.count(logs.0) + Self.count(logs.1)
        let report = try await Self.sync(logs.0, logs.1, over: CutPipe())
        #expect(report.eventsSent + report.eventsReceived == 20_000 - held, context)
        #expect(try Self.heads(logs.0) == Self.heads(logs.1), context)
      }
      edge += 4 + message.count
    }
  }

  // MARK: - Parts

  /// Returns two logs that share no events.
  private static func logs() async throws -> (InMemoryEventLog, InMemoryEventLog) {
    var generator = SeededGenerator(seed: 27)
    let store = StoreID(high: 1, low: 2)
    var logs: [InMemoryEventLog] = []
    for count in [6_000, 4_000] {
      let log = InMemoryEventLog(storeID: store, replica: .random(using: &generator))
      let events = (0..<count).map { _ in
        NewEvent(payload: (0..<24).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
      }
      _ = try await log.record(
        events, wallClock: Instant(milliseconds: 1_790_000_000_000), expecting: nil)
      logs.append(log)
    }
    return (logs[0], logs[1])
  }

  private static func count(_ log: InMemoryEventLog) throws -> Int {
    Int(try log.lastPosition().rawValue)
  }

  private static func heads(_ log: InMemoryEventLog) throws -> Set<EventID> {
    Set(try log.branches().map(\.head.id))
  }

  /// Syncs over sockets with a carrier between them.
  private static func sync(
    _ initiator: InMemoryEventLog, _ responder: InMemoryEventLog, over pipe: CutPipe
  ) async throws -> SyncReport {
    let now = Instant(milliseconds: 1_790_000_000_000)
    let (near, far) = try pipe.open()
    async let answered = SyncDriver.respond(responder, over: far, clock: { now }, options: options)
    let result: Result<SyncReport, any Error>
    do {
      result = .success(
        try await SyncDriver.initiate(initiator, over: near, wallClock: now, options: options))
    } catch {
      result = .failure(error)
    }
    await near.close()
    do {
      _ = try await answered
    } catch let error as SyncError where pipe.isCut {
      #expect(error.code == .unreachable)
    }
    await far.close()
    pipe.close()
    return try result.get()
  }
}

/// The side that wrote the bytes that a carrier carries.
enum Direction: Int, CaseIterable, Sendable {
  case fromInitiator, fromResponder
}

/// Two ends of a transport, and a carrier between them that may stop after a number of bytes.
final class CutPipe: Sendable {
  private struct State {
    var carried: [Direction: [UInt8]] = [:]
    var bytesLeft: [Direction: Int] = [:]
    var sockets: [Int32] = []
  }

  /// Whether it stops in some direction.
  let isCut: Bool
  private let state: Mutex<State>
  private let carriers = DispatchGroup()

  /// Creates a carrier that carries everything.
  init() {
    isCut = false
    state = Mutex(State())
  }

  /// Creates a carrier that ends both directions after carrying `count` bytes of one.
  init(after count: Int, of direction: Direction) {
    isCut = true
    state = Mutex(State(bytesLeft: [direction: count]))
  }

  /// Returns the initiator's end and the responder's end.
  func open() throws -> (PipeTransport, PipeTransport) {
    let (near, far) = (try Self.pair(), try Self.pair())
    state.withLock { $0.sockets = [near.1, far.1] }
    carry(.fromInitiator, near.1, far.1)
    carry(.fromResponder, far.1, near.1)
    return (
      try PipeTransport(reading: near.0, writing: near.0, stallInterval: .seconds(300)),
      try PipeTransport(reading: far.0, writing: far.0, stallInterval: .seconds(300))
    )
  }

  /// Returns the messages that were carried.
  func messages(_ direction: Direction) throws -> [[UInt8]] {
    var reader = FrameReader(limit: 1 << 20)
    return try reader.take(state.withLock { $0.carried[direction] ?? [] })
  }

  /// Waits for the carriers to end, which they do when the transport's ends are closed.
  func close() {
    carriers.wait()
    for socket in state.withLock(\.sockets) { Foundation.close(socket) }
  }

  private func carry(_ direction: Direction, _ source: Int32, _ target: Int32) {
    let thread = Thread { [self] in
      defer { carriers.leave() }
      var buffer = [UInt8](repeating: 0, count: 4_096)
      while true {
        let count = read(source, &buffer, buffer.count)
        guard count > 0 else { break }
        let passed = passed(direction, buffer[..<count])
        var sent = 0
        while sent < passed {
          let written = buffer[sent..<passed].withUnsafeBytes {
            send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
          }
          guard written > 0 else { break }
          sent += written
        }
        guard sent == count else { break }
      }
      for socket in [source, target] { shutdown(socket, Int32(SHUT_RDWR)) }
    }
    carriers.enter()
    thread.start()
  }

  /// Returns how many of the bytes pass.
  private func passed(_ direction: Direction, _ bytes: ArraySlice<UInt8>) -> Int {
    state.withLock { state in
      state.carried[direction, default: []] += bytes
      guard let left = state.bytesLeft[direction] else { return bytes.count }
      state.bytesLeft[direction] = max(0, left - bytes.count)
      return min(left, bytes.count)
    }
  }

  private static func pair() throws -> (Int32, Int32) {
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE)
    }
    return (ends[0], ends[1])
  }
}
