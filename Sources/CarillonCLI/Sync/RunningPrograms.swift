import Foundation
import Synchronization

/// The programs that this process started and that still run, so that none outlives it.
final class RunningPrograms: Sendable {
  static let shared = RunningPrograms()

  private struct State {
    /// Kills a program; nil while it is being started.
    var kills: [Int: (@Sendable () -> Void)?] = [:]
    var lastNumber = 0
    var isEnding = false
  }

  private let state = Mutex(State())

  /// Announces the start of a program.
  ///
  /// - Throws: `CancellationError` if this process is about to end.
  func start() throws -> Start {
    try state.withLock { state in
      guard !state.isEnding else { throw CancellationError() }
      state.lastNumber += 1
      state.kills[state.lastNumber] = .some(nil)
      return Start(number: state.lastNumber, programs: self)
    }
  }

  /// Kills all programs, and each that is being started; no other can be started afterwards.
  ///
  /// For the moment before this process ends. Blocks the thread for at most a second, while
  /// programs are being started.
  func killAll() {
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(1)
    while true {
      let isStarting = state.withLock { state in
        state.isEnding = true
        for kill in state.kills.values { kill?() }
        return state.kills.values.contains { $0 == nil }
      }
      guard isStarting, clock.now < deadline else { return }
      Thread.sleep(forTimeInterval: 0.001)
    }
  }

  /// One program, from before its start to its end.
  struct Start: Sendable {
    fileprivate let number: Int
    fileprivate let programs: RunningPrograms

    /// The program runs.
    func succeed(kill: @escaping @Sendable () -> Void) {
      programs.state.withLock { state in
        state.kills[number] = kill
        if state.isEnding { kill() }
      }
    }

    /// The program has ended, or was not started; idempotent.
    func end() {
      programs.state.withLock { _ = $0.kills.removeValue(forKey: number) }
    }
  }
}
