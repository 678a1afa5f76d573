#if !canImport(CarillonVerbs)
import Testing
#endif

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
    + [sealing, logTables] + lmdbLogTargets + sqliteLogTargets + intakeTargets + importTargets
    + fileTargets + argumentTargets + backupTargets + [notifierAnswers, projections]
}

/// Reports that a decoder's guarantee does not hold: in a test as an issue, otherwise by ending the
/// process, which libFuzzer reports with the input.
func hold(_ isKept: Bool, _ promise: @autoclosure () -> String) {
  guard !isKept else { return }
  #if canImport(CarillonVerbs)
  fatalError("guarantee violated: \(promise())")
  #else
  Issue.record("guarantee violated: \(promise())")
  #endif
}
