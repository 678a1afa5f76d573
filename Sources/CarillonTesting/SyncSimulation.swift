package import Carillon
package import CarillonModel
package import CarillonSync

/// Two sides of a sync and a transport between them, run step by step on one thread: the same seed
/// gives the same run.
package struct SyncSimulation: Sendable {
  private let leadingExecutor: SyncExecutor
  private let answeringExecutor: SyncExecutor
  private var initiator: SyncInitiator
  private var responder: SyncResponder
  private var toResponder: LossyTransport
  private var toInitiator: LossyTransport
  private var generator: SeededGenerator
  private var isBegun = false

  /// Where one of the sides ends, at the next events that it would append; nil for nowhere.
  package var crash: SimulatedCrash?
  /// The most bytes that each side takes in one message.
  package let limits: (initiator: Int, responder: Int)
  /// Whether the transport lost a message.
  package var hasLost: Bool { toResponder.hasLost || toInitiator.hasLost }
  /// Whether the transport changed a message.
  package var hasCorrupted: Bool { toResponder.hasCorrupted || toInitiator.hasCorrupted }

  /// What went over the transport, in order.
  package private(set) var transcript: [(toResponder: Bool, bytes: [UInt8])] = []

  /// Changes messages on the transport, given the place of each in the transcript; nil for none.
  package var tamper: (@Sendable (Int, [UInt8]) -> [UInt8])?

  /// Messages that are on their way, or lie undelivered where the transport was cut.
  package var undelivered: [[UInt8]] { toResponder.messages + toInitiator.messages }

  /// How many bytes went over the transport.
  package var byteCount: Int { transcript.reduce(0) { $0 + $1.bytes.count } }

  /// - Parameters:
  ///   - faults: What the transport does to messages.
  ///   - options: Of both sides, in that order.
  ///   - contents: Of both sides, in that order.
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

  /// Runs the sync to its end, or until the transport is cut.
  ///
  /// - Parameters:
  ///   - messages: After how many messages on the transport it is cut; nil for never.
  ///   - maxSteps: A bound on deliveries and repetitions.
  /// - Returns: The report, or nil where the transport was cut or the bound was reached.
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

  /// Begins, or delivers one message, or lets the initiator repeat where none is on its way.
  ///
  /// - Returns: The report where that ends the sync.
  /// - Throws: `SyncError`, and ``SimulatedCrash``.
  package mutating func step() async throws -> SyncReport? {
    guard isBegun else {
      isBegun = true
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

  /// Does an action, unless the side crashes over it.
  private mutating func perform(
    _ action: SyncAction, of executor: SyncExecutor, isInitiator: Bool
  ) async throws -> SyncInput? {
    guard case .append = action, var crash else { return try await executor.perform(action) }
    self.crash = nil
    if crash.isAfterCommit { _ = try await executor.perform(action) }
    crash.isOfInitiator = isInitiator
    throw crash
  }

  /// Notes a message; gives it as it travels.
  private mutating func write(_ bytes: [UInt8], toResponder: Bool) -> [UInt8] {
    transcript.append((toResponder, bytes))
    return tamper?(transcript.count - 1, bytes) ?? bytes
  }

  /// What a log answers to one message.
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

/// A process that ends over a commit.
package struct SimulatedCrash: Error {
  /// Whether the commit was made; else nothing of it is there.
  package var isAfterCommit: Bool
  /// Which side it was.
  package fileprivate(set) var isOfInitiator = false

  package init(isAfterCommit: Bool) {
    self.isAfterCommit = isAfterCommit
  }
}

extension SyncSimulation {
  /// An initiator alone, to be given any answers.
  package static func leading(_ log: any EventLog, wallClock: Instant) -> LoneInitiator {
    LoneInitiator(log: log, executor: SyncExecutor(log: log, wallClock: wallClock))
  }

  /// An initiator to which somebody else answers.
  package struct LoneInitiator: Sendable {
    fileprivate let log: any EventLog
    fileprivate let executor: SyncExecutor

    /// Runs a sync over so many answers, or to its end.
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
