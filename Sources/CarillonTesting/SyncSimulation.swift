package import Carillon
package import CarillonModel
package import CarillonSync

/// Two sides of a sync and a link between them, run step by step on one thread: the same seed
/// gives the same run.
package struct SyncSimulation: Sendable {
  private let leadingExecutor: SyncExecutor
  private let answeringExecutor: SyncExecutor
  private var leader: SyncLeader
  private var answerer: SyncAnswerer
  private var toAnswerer: LossyLink
  private var toLeader: LossyLink
  private var generator: SeededGenerator
  private var isBegun = false

  /// Where one of the sides ends, at the next events that it would append; nil for nowhere.
  package var crash: SimulatedCrash?
  /// The most bytes that each side takes in one message.
  package let limits: (leader: Int, answerer: Int)
  /// Whether the link lost a message.
  package var hasLost: Bool { toAnswerer.hasLost || toLeader.hasLost }
  /// Whether the link changed a message.
  package var hasCorrupted: Bool { toAnswerer.hasCorrupted || toLeader.hasCorrupted }

  /// What went over the link, in order.
  package private(set) var transcript: [(toAnswerer: Bool, bytes: [UInt8])] = []

  /// Changes messages on the link, given the place of each in the transcript; nil for none.
  package var tamper: (@Sendable (Int, [UInt8]) -> [UInt8])?

  /// Messages that are on their way, or lie undelivered where the link was cut.
  package var undelivered: [[UInt8]] { toAnswerer.messages + toLeader.messages }

  /// How many bytes went over the link.
  package var byteCount: Int { transcript.reduce(0) { $0 + $1.bytes.count } }

  /// - Parameters:
  ///   - faults: What the link does to messages.
  ///   - options: Of both sides, in that order.
  ///   - contents: Of both sides, in that order.
  package init(
    leader: any EventLog, answerer: any EventLog, wallClock: Instant, seed: UInt64,
    faults: LossyLink.Faults = .none,
    options: (SyncOptions, SyncOptions) = (SyncOptions(), SyncOptions()),
    contents: (SyncContents, SyncContents) = (.unknown, .unknown)
  ) throws {
    leadingExecutor = SyncExecutor(log: leader, wallClock: wallClock, contents: contents.0)
    answeringExecutor = SyncExecutor(log: answerer, wallClock: wallClock, contents: contents.1)
    self.leader = SyncLeader(
      store: leader.storeID, log: try leadingExecutor.snapshot(), options: options.0)
    self.answerer = SyncAnswerer(
      store: answerer.storeID, log: try answeringExecutor.snapshot(), options: options.1)
    limits = (options.0.maxMessageBytes, options.1.maxMessageBytes)
    generator = SeededGenerator(seed: seed)
    toAnswerer = LossyLink(faults: faults)
    toLeader = LossyLink(faults: faults)
  }

  /// Runs the sync to its end, or until the link is cut.
  ///
  /// - Parameters:
  ///   - messages: After how many messages on the link it is cut; nil for never.
  ///   - maxSteps: A bound on deliveries and repetitions.
  /// - Returns: The report, or nil where the link was cut or the bound was reached.
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

  /// Begins, or delivers one message, or lets the leader repeat where none is on its way.
  ///
  /// - Returns: The report where that ends the sync.
  /// - Throws: `SyncError`, and ``SimulatedCrash``.
  package mutating func step() async throws -> SyncReport? {
    guard isBegun else {
      isBegun = true
      return try await lead(.start)
    }
    let answersFirst = generator.next() & 1 == 0
    for isToAnswerer in [answersFirst, !answersFirst] {
      if isToAnswerer {
        guard let bytes = toAnswerer.receive() else { continue }
        answerer.refresh(try answeringExecutor.snapshot())
        try await answer(.message(bytes))
        return nil
      } else if let bytes = toLeader.receive() {
        return try await lead(.message(bytes))
      }
    }
    return try await lead(.quiet)
  }

  private mutating func lead(_ input: SyncInput) async throws -> SyncReport? {
    var next: SyncInput? = input
    while let input = next {
      next = nil
      for action in try leader.handle(input) {
        if case .finished(let report) = action { return report }
        if case .send(let bytes) = action {
          toAnswerer.send(write(bytes, toAnswerer: true), using: &generator)
        }
        next = try await perform(action, of: leadingExecutor, isLeader: true)
      }
    }
    return nil
  }

  private mutating func answer(_ input: SyncInput) async throws {
    var next: SyncInput? = input
    while let input = next {
      next = nil
      for action in try answerer.handle(input) {
        if case .send(let bytes) = action {
          toLeader.send(write(bytes, toAnswerer: false), using: &generator)
        }
        next = try await perform(action, of: answeringExecutor, isLeader: false)
      }
    }
  }

  /// Does an action, unless the side crashes over it.
  private mutating func perform(
    _ action: SyncAction, of executor: SyncExecutor, isLeader: Bool
  ) async throws -> SyncInput? {
    guard case .append = action, var crash else { return try await executor.perform(action) }
    self.crash = nil
    if crash.isAfterCommit { _ = try await executor.perform(action) }
    crash.isOfLeader = isLeader
    throw crash
  }

  /// Notes a message; gives it as it travels.
  private mutating func write(_ bytes: [UInt8], toAnswerer: Bool) -> [UInt8] {
    transcript.append((toAnswerer, bytes))
    return tamper?(transcript.count - 1, bytes) ?? bytes
  }

  /// What a log answers to one message.
  package static func answer(
    to message: [UInt8], of log: any EventLog, wallClock: Instant,
    options: SyncOptions = SyncOptions()
  ) async throws -> [UInt8] {
    let executor = SyncExecutor(log: log, wallClock: wallClock)
    var answerer = SyncAnswerer(
      store: log.storeID, log: try executor.snapshot(), options: options)
    var answer: [UInt8] = []
    var next: SyncInput? = .message(message)
    while let input = next {
      next = nil
      for action in try answerer.handle(input) {
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
  package fileprivate(set) var isOfLeader = false

  package init(isAfterCommit: Bool) {
    self.isAfterCommit = isAfterCommit
  }
}

extension SyncSimulation {
  /// A leader alone, to be given any answers.
  package static func leading(_ log: any EventLog, wallClock: Instant) -> LoneLeader {
    LoneLeader(log: log, executor: SyncExecutor(log: log, wallClock: wallClock))
  }

  /// A leader to which somebody else answers.
  package struct LoneLeader: Sendable {
    fileprivate let log: any EventLog
    fileprivate let executor: SyncExecutor

    /// Runs a sync over so many answers, or to its end.
    ///
    /// - Throws: `SyncError`.
    package func run(answers: Int, _ answer: () -> [UInt8]) async throws {
      var session = SyncLeader(
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
