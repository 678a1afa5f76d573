import Subprocess

extension Execution {
  /// Waits for the program to end by itself, and ends it if that takes too long.
  ///
  /// - Parameters:
  ///   - patience: How long the program may take.
  ///   - steps: The steps that end it after that, before it is killed.
  /// - Returns: Whether it ended by itself.
  func end(within patience: Duration, then steps: [TeardownStep] = []) async -> Bool {
    let deadline = ContinuousClock.now + patience
    // Signal 0 does nothing: the program gets the time to end by itself.
    let waiting = TeardownStep.send(
      signal: Signal(rawValue: 0), allowedDurationToNextStep: patience)
    await teardown(using: [waiting] + steps)
    return ContinuousClock.now < deadline
  }
}
