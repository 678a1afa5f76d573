import CarillonTestSupport
import Foundation
import Testing

/// The check of the vectors in Python, run with each Python of this machine.
private enum PythonCheck {
  private static let tool = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "tools/python_sealed.py")
  private static let pythons = [
    "/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3",
  ].filter { FileManager.default.isExecutableFile(atPath: $0) }
  /// The exit status of a Python that lacks the library.
  private static let missing: Int32 = 69

  /// Returns the exit status with each Python that has the library.
  static func statuses() async throws -> [Int32] {
    var statuses: [Int32] = []
    for python in pythons {
      let check = try await ChildProcess(
        URL(filePath: python), ["-B", tool.path], environment: [:],
        output: URL(filePath: "/dev/null"), errors: URL(filePath: "/dev/null"))
      statuses.append(try await check.end().status)
    }
    return statuses.filter { $0 != missing }
  }
}

/// A second implementation, in Python, written from the specification: `tools/python_sealed.py`.
struct PythonSealedTests {
  @Test(
    "Both implementations agree on the vectors",
    .enabled("python3-cryptography is not installed here") {
      try await !PythonCheck.statuses().isEmpty
    })
  func vectors() async throws {
    #expect(try await PythonCheck.statuses().allSatisfy { $0 == 0 })
  }
}
