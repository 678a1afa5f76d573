/// A decoder, or what stands around one, that arbitrary bytes must neither crash nor hang.
struct FuzzTarget: Sendable {
  /// By which the target is chosen.
  let name: String
  /// The most bytes of an input: what a decoder takes at its limits, or enough for its corners.
  let maxByteCount: Int
  /// Inputs to begin with, the same at every call.
  let seeds: @Sendable () throws -> [[UInt8]]
  /// Takes one input.
  ///
  /// What it throws nobody promised: it is a finding, as a crash is.
  let run: @Sendable (UnsafeRawBufferPointer) throws -> Void

  /// All targets, in the order in which they run.
  static let all: [FuzzTarget] =
    payloadTargets + jsonTargets + [texts, settings, recurrences] + syncTargets + [pipeFrames]
    + logTargets + intakeTargets + importTargets + fileTargets + argumentTargets
}

/// Ends the process where what a decoder promises does not hold.
func hold(_ isKept: Bool, _ promise: @autoclosure () -> String) {
  guard !isKept else { return }
  fatalError("not so: \(promise())")
}
