#if Service
import CarillonTestSupport
import Foundation
import Testing

/// Scripts with programs of the system, such as curl and openssl.
enum Shell {
  /// Whether a program is installed; `tools/prepare` with its flag for tests installs them.
  static func has(_ program: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)")
  }

  /// Runs a script until it ends.
  static func run(
    _ script: String, in bench: ServiceBench, _ variables: [String: String] = [:]
  ) async throws -> EndedProgram {
    let directory = BuiltProgram.url("carillon").deletingLastPathComponent().path
    return try await StartedProgram(
      URL(filePath: "/bin/sh"), ["-euc", "cd \"$TMPDIR\"\n" + script], in: bench,
      environment: variables.merging(["PATH": "\(directory):/usr/bin:/bin"]) { $1 }
    ).end()
  }
}
#endif
