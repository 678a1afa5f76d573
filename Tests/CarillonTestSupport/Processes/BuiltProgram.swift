package import Foundation

/// A program that was built with these tests.
package enum BuiltProgram {
  /// Returns the path of a program.
  ///
  /// It is next to the test bundle, whose path is among the arguments of the test process.
  package static func url(_ name: String) -> URL {
    let starts = CommandLine.arguments + [Bundle.main.bundlePath, Bundle.main.executablePath ?? ""]
    for start in starts where start.contains("/") {
      var directory = URL(filePath: start)
      while directory.path.count > 1 {
        directory.deleteLastPathComponent()
        let candidate = directory.appending(path: name, directoryHint: .notDirectory)
        if isProgram(candidate) { return candidate }
      }
    }
    preconditionFailure("\(name) is built beside the tests; run swift build first")
  }

  private static func isProgram(_ url: URL) -> Bool {
    var isDirectory: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
    return exists && !isDirectory.boolValue
      && FileManager.default.isExecutableFile(atPath: url.path)
  }
}
