package import Carillon
package import CarillonModel
package import CarillonSync

/// Both sides of a sync and a transport between them, run step by step on one thread.
///
/// The same seed produces the same run.
package struct SyncSimulation: Sendable {
  private let leadingExecutor: SyncExecutor
  private let answeringExecutor: SyncExecutor
  private var initiator: SyncInitiator
  private var responder: SyncResponder
  private var toResponder: LossyTransport
  private var toInitiator: LossyTransport
  private var generator: SeededGenerator
  private var hasBegun = false

  /// The crash of a side at the next append; nil for none.
  package var crash: SimulatedCrash?
  /// The maximum number of bytes that each side accepts in one message.
  package let limits: (initiator: Int, responder: Int)
  /// Whether the transport lost a message.
  package var hasLost: Bool { toResponder.hasLost || toInitiator.hasLost }
  /// Whether the transport corrupted a message.
  package var hasCorrupted: Bool { toResponder.hasCorrupted || toInitiator.hasCorrupted }

  /// The messages sent over the transport, in order.
  package private(set) var transcript: [(toResponder: Bool, bytes: [UInt8])] = []

  /// Changes each message on the transport, given its index in the transcript; nil changes none.
  package var tamper: (@Sendable (Int, [UInt8]) -> [UInt8])?

  /// Messages that are in transit, or were not delivered before the transport was cut.
  package var undelivered: [[UInt8]] { toResponder.messages + toInitiator.messages }

  /// The number of bytes sent over the transport.
  package var byteCount: Int { transcript.reduce(0) { $0 + $1.bytes.count } }

  /// - Parameters:
  ///   - faults: The faults of the transport.
  ///   - options: The options of the initiator and of the responder.
  ///   - contents: The contents of the initiator and of the responder.
  package init(
    initiator: any EventLog, responder: any EventLog, wallClock: Instant, seed: UInt64,
    faults: LossyTransport.Faults = .none,
    options: (SyncOptions, SyncOptions) = (SyncOptions(), SyncOptions()),
    contents: (SyncContents, SyncContents) = (.unknown, .unknown)
  ) throws {
    leadingExecutor = SyncExecutor(log: initiator, wallClock: wallClock, contents: contents.0)
    answeringExecutor = SyncExecutor(log: responder, wallClock: wallClock, contents: contents.1)
    self.initiator = SyncInitiator(
      store: initiator.storeID, log: try leadingExecutor.snapshot(), options: options.0)
    self.responder = SyncResponder(
      store: responder.storeID, log: try answeringExecutor.snapshot(), options: options.1)
    limits = (options.0.maxMessageBytes, options.1.maxMessageBytes)
    generator = SeededGenerator(seed: seed)
    toResponder = LossyTransport(faults: faults)
    toInitiator = LossyTransport(faults: faults)
  }

  /// Runs the sync until it ends or the transport is cut.
  ///
  /// - Parameters:
  ///   - messages: The number of messages after which the transport is cut; nil for never.
  ///   - maxSteps: The maximum number of deliveries and repetitions.
  /// - Returns: The report; nil if the transport was cut or `maxSteps` was reached.
  /// - Throws: `SyncError`.
  package mutating func run(
    cutAfter messages: Int? = nil, maxSteps: Int = 100_000
  ) async throws -> SyncReport? {
    for _ in 0..<maxSteps {
      if let messages, transcript.count >= messages { return nil }
      if let report = try await step() { return report }
    }
    return nil
  }

  /// Starts the sync, delivers one message, or, if none is in transit, lets the initiator repeat
  /// its last one.
  ///
  /// - Returns: The report, if the step ended the sync.
  /// - Throws: `SyncError`, and ``SimulatedCrash``.
  package mutating func step() async throws -> SyncReport? {
    guard hasBegun else {
      hasBegun = true
      return try await lead(.start)
    }
    let answersFirst = generator.next() & 1 == 0
    for isToResponder in [answersFirst, !answersFirst] {
      if isToResponder {
        guard let bytes = toResponder.receive() else { continue }
        responder.refresh(try answeringExecutor.snapshot())
        try await answer(.message(bytes))
        return nil
      } else if let bytes = toInitiator.receive() {
        return try await lead(.message(bytes))
      }
    }
    return try await lead(.quiet)
  }

  private mutating func lead(_ input: SyncInput) async throws -> SyncReport? {
    var next: SyncInput? = input
    while let input = next {
      next = nil
      for action in try initiator.handle(input) {
        if case .finished(let report) = action { return report }
        if case .send(let bytes) = action {
          toResponder.send(write(bytes, toResponder: true), using: &generator)
        }
        next = try await perform(action, of: leadingExecutor, isInitiator: true)
      }
    }
    return nil
  }

  private mutating func answer(_ input: SyncInput) async throws {
    var next: SyncInput? = input
    while let input = next {
      next = nil
      for action in try responder.handle(input) {
        if case .send(let bytes) = action {
          toInitiator.send(write(bytes, toResponder: false), using: &generator)
        }
        next = try await perform(action, of: answeringExecutor, isInitiator: false)
      }
    }
  }

  /// Performs an action, unless the side crashes during it.
  private mutating func perform(
    _ action: SyncAction, of executor: SyncExecutor, isInitiator: Bool
  ) async throws -> SyncInput? {
    var crash: SimulatedCrash?
    if case .append = action { (crash, self.crash) = (self.crash, nil) }
    let next = crash?.isAfterCommit == false ? nil : try await executor.perform(action)
    guard var crash else { return next }
    crash.isOfInitiator = isInitiator
    throw crash
  }

  /// Records a message, and returns it as it is sent.
  private mutating func write(_ bytes: [UInt8], toResponder: Bool) -> [UInt8] {
    transcript.append((toResponder, bytes))
    return tamper?(transcript.count - 1, bytes) ?? bytes
  }

  /// Returns a log's answer to one message.
  package static func answer(
    to message: [UInt8], of log: any EventLog, wallClock: Instant,
    options: SyncOptions = SyncOptions()
  ) async throws -> [UInt8] {
    let executor = SyncExecutor(log: log, wallClock: wallClock)
    var responder = SyncResponder(
      store: log.storeID, log: try executor.snapshot(), options: options)
    var answer: [UInt8] = []
    var next: SyncInput? = .message(message)
    while let input = next {
      next = nil
      for action in try responder.handle(input) {
        if case .send(let bytes) = action { answer = bytes }
        next = try await executor.perform(action)
      }
    }
    return answer
  }
}

/// A process that ends during a commit.
package struct SimulatedCrash: Error {
  /// Whether the commit was made; otherwise none of it was written.
  package var isAfterCommit: Bool
  /// Whether it was the initiator's process.
  package fileprivate(set) var isOfInitiator = false

  package init(isAfterCommit: Bool) {
    self.isAfterCommit = isAfterCommit
  }
}

extension SyncSimulation {
  /// Returns an initiator without a responder, which can be given any answers.
  package static func leading(_ log: any EventLog, wallClock: Instant) -> LoneInitiator {
    LoneInitiator(log: log, executor: SyncExecutor(log: log, wallClock: wallClock))
  }

  /// An initiator whose answers a test provides.
  package struct LoneInitiator: Sendable {
    fileprivate let log: any EventLog
    fileprivate let executor: SyncExecutor

    /// Runs a sync with a number of answers, or until it ends.
    ///
    /// - Throws: `SyncError`.
    package func run(answers: Int, _ answer: () -> [UInt8]) async throws {
      var session = SyncInitiator(
        store: log.storeID, log: try executor.snapshot(), options: SyncOptions())
      var pending: [SyncInput] = [.start] + (0..<answers).map { _ in .message(answer()) }
      pending.reverse()
      while let input = pending.popLast() {
        for action in try session.handle(input) {
          if case .finished = action { return }
          if let next = try await executor.perform(action) { pending.append(next) }
        }
      }
    }
  }
}
