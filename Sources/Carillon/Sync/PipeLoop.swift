internal import CarillonModel
internal import CarillonSync
internal import Foundation
internal import Synchronization

/// The thread behind a ``PipeTransport``.
///
/// It waits for incoming bytes, for space to write, and for tasks that send or receive.
///
/// The descriptors keep their mode, since standard input may be shared with other processes. The
/// loop therefore reads only when data is available, and writes no more than is certain to fit.
final class PipeLoop: Sendable {
  private let reading: Int32
  private let writing: Int32
  /// A byte in this pipe wakes the thread.
  private let wake: (reading: Int32, writing: Int32)
  private let limit: Int
  /// Called after news and at the end; nil if this side does not ask for news.
  private let onNews: (@Sendable () -> Void)?
  /// Guards the state shared by tasks and the thread.
  ///
  /// No continuation is resumed while it is held.
  private let state: Mutex<State>

  typealias Waiting<T: Sendable> = CheckedContinuation<T, any Error>

  struct State: Sendable {
    /// Received messages that no task has taken yet.
    var incoming: [[UInt8]] = []
    /// Why no more messages will come; success if the peer ended the transport.
    var end: Result<Void, any Error>?
    var receiver: Waiting<SyncArrival>?
    /// The peer's greeting, or why none will come; nil before either.
    var greeting: Result<Greeting, any Error>?
    var greeted: Waiting<Greeting>?
    /// The number of reports of news, plus one at the end.
    var newsCount = 0
    var outgoing: [Outgoing] = []
    /// Runs while a task waits for incoming data.
    var readClock: StallClock
    /// Runs while there is something to write.
    var writeClock: StallClock
    var firstSent: [UInt8]?
    /// Set once, after which the thread ends.
    var isClosing = false
    /// Whether the thread has ended and its wake pipe is closed.
    var isOver = false
    /// Whether a task waits for incoming data.
    var isReadFor: Bool { receiver != nil || greeted != nil }

    init(stallInterval: Duration) {
      readClock = StallClock(.send, stallInterval: stallInterval)
      writeClock = StallClock(.read, stallInterval: stallInterval)
    }

    /// The clocks that are running.
    var clocks: [StallClock] {
      (isReadFor ? [readClock] : []) + (outgoing.isEmpty ? [] : [writeClock])
    }
  }

  /// What the peer's greeting says.
  struct Greeting: Sendable {
    let store: StoreID?
    let asksForNews: Bool
  }

  /// Bytes to write, and the continuation that waits for them.
  struct Outgoing: Sendable {
    var rest: ArraySlice<UInt8>
    let sender: Waiting<Void>?
  }

  /// The maximum number of messages that wait to be taken; more than an initiator's window.
  private static let maxIncoming = 80
  /// The number of bytes that a pipe with free space accepts without blocking.
  private static let chunkByteCount = Int(PIPE_BUF)

  init(
    reading: Int32, writing: Int32, limit: Int, stallInterval: Duration, greeting: [UInt8],
    onNews: (@Sendable () -> Void)? = nil
  ) throws(SyncError) {
    guard reading >= 0, writing >= 0 else {
      throw SyncError(code: .unreachable, message: "there is no pipe to the peer")
    }
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else {
      throw SyncError(
        code: .unreachable, message: "cannot create a pipe: \(String(cString: strerror(errno)))")
    }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    wake = (ends[0], ends[1])
    self.reading = reading
    self.writing = writing
    (self.limit, self.onNews) = (limit, onNews)
    state = Mutex(State(stallInterval: stallInterval))
    state.withLock { $0.outgoing = [Outgoing(rest: greeting[...], sender: nil)] }
  }

  func start() {
    Thread.detachNewThread { [self] in run() }
  }

  // MARK: - For tasks

  func send(_ message: [UInt8]) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (sender: Waiting<Void>) in
        let refusal = state.withLock { state -> (any Error)? in
          if let error = Self.refusal(state) { return error }
          if state.outgoing.isEmpty { state.writeClock.restart() }
          if state.firstSent == nil, !message.isEmpty { state.firstSent = message }
          state.outgoing.append(
            Outgoing(rest: FrameReader.frame(message)[...], sender: sender))
          return nil
        }
        if let refusal { return sender.resume(throwing: refusal) }
        stir()
      }
    } onCancel: {
      end(with: .failure(CancellationError()))
    }
  }

  var newsCount: Int { state.withLock(\.newsCount) }

  func greeting() async throws -> Greeting {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (greeted: Waiting<Greeting>) in
        let greeting = state.withLock { state -> Result<Greeting, any Error>? in
          if let greeting = state.greeting { return greeting }
          if state.isOver { return .failure(Self.closed) }
          precondition(state.greeted == nil, "one task at a time waits for the greeting")
          state.readClock.restart()
          state.greeted = greeted
          return nil
        }
        if let greeting { greeted.resume(with: greeting) }
        stir()
      }
    } onCancel: {
      end(with: .failure(CancellationError()))
    }
  }

  func receive() async throws -> SyncArrival {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (receiver: Waiting<SyncArrival>) in
        let arrival = state.withLock { state -> Result<SyncArrival, any Error>? in
          if !state.incoming.isEmpty { return .success(.message(state.incoming.removeFirst())) }
          if let end = state.end { return end.map { .closed } }
          precondition(state.receiver == nil, "one task at a time receives")
          state.readClock.restart()
          state.receiver = receiver
          return nil
        }
        if let arrival { receiver.resume(with: arrival) }
        stir()
      }
    } onCancel: {
      end(with: .failure(CancellationError()))
    }
  }

  func close() {
    end(with: .success(()))
  }

  /// Ends the transport immediately.
  ///
  /// A message that is being sent may be cut off.
  private func end(with result: Result<Void, any Error>) {
    state.withLock { state in
      if state.end == nil { state.end = result }
      state.isClosing = true
    }
    stir()
  }

  private static func refusal(_ state: State) -> (any Error)? {
    if case .failure(let error) = state.end { return error }
    return state.isClosing ? closed : nil
  }

  private static let ended = SyncError(
    code: .unreachable, message: "the transport ended before the peer sent anything")
  private static let closed = SyncError(code: .unreachable, message: "the transport was closed")

  /// Wakes the thread so that it checks the state again.
  private func stir() {
    state.withLock { state in
      guard !state.isOver else { return }
      var byte: UInt8 = 0
      // A full pipe wakes the thread too.
      _ = write(wake.writing, &byte, 1)
    }
  }
}

// MARK: - On the thread

extension PipeLoop {
  private func run() {
    // Blocks SIGPIPE for this thread only, until the thread ends.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    var reader = FrameReader(limit: limit, acceptsNews: onNews != nil)
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while let wish = nextWish() {
      var places = [
        pollfd(fd: wake.reading, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wish.reads ? reading : -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wish.writes ? writing : -1, events: Int16(POLLOUT), revents: 0),
      ]
      guard poll(&places, 3, wish.milliseconds) >= 0 || errno == EINTR else {
        fail(Self.problem("cannot wait for the transport"))
        continue
      }
      if places[0].revents != 0 { _ = read(wake.reading, &buffer, buffer.count) }
      if places[1].revents != 0 { readSome(&buffer, &reader) }
      if places[2].revents != 0 { writeSome() }
    }
    finish()
  }

  /// Returns what to wait for; nil when the loop must end.
  private func nextWish() -> (reads: Bool, writes: Bool, milliseconds: Int32)? {
    let now = ContinuousClock.now
    let stall = state.withLock { state in
      state.clocks.lazy.compactMap { $0.stall(at: now) }.first
    }
    if let stall { fail(stall) }
    return state.withLock { state in
      guard !state.isClosing else { return nil }
      let left = state.clocks.map(\.deadline).min().map { ($0 - now) / .milliseconds(1) }
      return (
        state.end == nil && state.incoming.count < Self.maxIncoming, !state.outgoing.isEmpty,
        left.map { Int32(min(max($0, 0), 1_000_000)) + 1 } ?? -1
      )
    }
  }

  private func readSome(_ buffer: inout [UInt8], _ reader: inout FrameReader) {
    let count = read(reading, &buffer, buffer.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    do {
      guard count > 0 else {
        // A terminal that was closed ends with EIO, a socket with ECONNRESET.
        guard count == 0 || errno == EIO || errno == ECONNRESET else {
          throw Self.problem("cannot read from the transport")
        }
        try reader.end()
        return arrive([], end: .success(()))
      }
      let messages = try reader.take(buffer[..<count])
      if reader.isGreeted {
        greet(.success(Greeting(store: reader.store, asksForNews: reader.asksForNews)))
      }
      let firstSent = state.withLock(\.firstSent)
      if let first = messages.first, first == firstSent {
        throw SyncError(
          code: .malformed, message: "the peer only echoes what it receives")
      }
      arrive(messages, byteCount: count, end: nil)
      note(newsCount: reader.newsCount)
    } catch {
      arrive([], end: .failure(error))
    }
  }

  /// Resumes the task that waits for the greeting.
  ///
  /// The first result is kept.
  private func greet(_ greeting: Result<Greeting, any Error>) {
    let greeted = state.withLock { state in
      defer { state.greeted = nil }
      if state.greeting == nil { state.greeting = greeting }
      return state.greeted
    }
    greeted?.resume(with: greeting)
  }

  private func arrive(
    _ messages: [[UInt8]], byteCount: Int = 0, end: Result<Void, any Error>?
  ) {
    let (receiver, arrival) = state.withLock { state in
      state.readClock.note(byteCount)
      if !messages.isEmpty { state.readClock.restart() }
      state.incoming += messages
      if let end, state.end == nil { state.end = end }
      var arrival: Result<SyncArrival, any Error>?
      guard let receiver = state.receiver else { return (nil as Waiting<SyncArrival>?, arrival) }
      if !state.incoming.isEmpty {
        arrival = .success(.message(state.incoming.removeFirst()))
      } else if let end = state.end {
        arrival = end.map { .closed }
      } else {
        return (nil, nil)
      }
      state.receiver = nil
      return (receiver, arrival)
    }
    if let receiver, let arrival { receiver.resume(with: arrival) }
    if let end {
      greet(end.flatMap { .failure(Self.ended) })
      note(newsCount: newsCount + 1)
    }
  }

  private func note(newsCount count: Int) {
    let hasNews = state.withLock { state in
      defer { state.newsCount = count }
      return state.newsCount < count
    }
    if hasNews { onNews?() }
  }

  private func writeSome() {
    guard let rest = state.withLock({ $0.outgoing.first?.rest }) else { return }
    let chunk = rest.prefix(Self.chunkByteCount)
    let count = chunk.withUnsafeBytes { write(writing, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    guard count > 0 else {
      guard errno == EPIPE || errno == ECONNRESET else {
        return fail(Self.problem("cannot write to the transport"))
      }
      // No process reads the pipe any more, so this output is lost. Earlier input and the end of
      // the transport can still be read.
      return dropOutgoing()
    }
    let sender = state.withLock { state -> Waiting<Void>? in
      state.writeClock.note(count)
      state.outgoing[0].rest = rest.dropFirst(count)
      guard state.outgoing[0].rest.isEmpty else { return nil }
      state.writeClock.restart()
      return state.outgoing.removeFirst().sender
    }
    sender?.resume()
  }

  private func dropOutgoing() {
    for sender in takeSenders() { sender.resume() }
  }

  private func takeSenders() -> [Waiting<Void>] {
    state.withLock { state in
      defer { state.outgoing = [] }
      return state.outgoing.compactMap(\.sender)
    }
  }

  /// Ends reading and writing with an error.
  private func fail(_ error: SyncError) {
    arrive([], end: .failure(error))
    failSenders(error)
    state.withLock { $0.isClosing = true }
  }

  private func failSenders(_ error: any Error) {
    for sender in takeSenders() { sender.resume(throwing: error) }
  }

  private func finish() {
    let (receiver, end) = state.withLock { state in
      defer { state.receiver = nil }
      state.isOver = true
      Foundation.close(wake.reading)
      Foundation.close(wake.writing)
      return (state.receiver, state.end ?? .success(()))
    }
    Foundation.close(reading)
    if writing != reading { Foundation.close(writing) }
    receiver?.resume(with: end.map { .closed })
    greet(end.flatMap { .failure(Self.closed) })
    if case .failure(let error) = end { failSenders(error) } else { failSenders(Self.closed) }
  }

  private static func problem(_ text: String) -> SyncError {
    SyncError(code: .unreachable, message: "\(text): \(String(cString: strerror(errno)))")
  }
}
