/// A decoder, or code that uses one, which no input may crash or hang.
struct FuzzTarget: Sendable {
  /// The name with which the target is selected.
  let name: String
  /// The maximum bytes of an input: the decoder's limit, or enough for its edge cases.
  let maxByteCount: Int
  /// The initial inputs, the same in every call.
  let seeds: @Sendable () throws -> [[UInt8]]
  /// Runs one input.
  ///
  /// An error that it throws is a finding, like a crash.
  let run: @Sendable (UnsafeRawBufferPointer) throws -> Void

  /// All targets, in the order in which they run.
  static let all: [FuzzTarget] =
    payloadTargets + jsonTargets + [texts, settings, recurrences] + syncTargets + [pipeFrames]
    + logTargets + intakeTargets + importTargets + fileTargets + argumentTargets
}

/// Ends the process if a decoder's guarantee does not hold.
func hold(_ isKept: Bool, _ promise: @autoclosure () -> String) {
  guard !isKept else { return }
  fatalError("guarantee violated: \(promise())")
}
