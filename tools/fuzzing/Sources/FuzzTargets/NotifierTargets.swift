import CarillonModel
import Foundation

#if canImport(System)
import System
#else
import SystemPackage
#endif
#if canImport(CarillonVerbs)
@testable import CarillonVerbs
#else
@testable import CarillonCLI
#endif

extension FuzzTarget {
  static let notifierAnswers = FuzzTarget(
    name: "notifier", maxByteCount: 512, seeds: NotifierAnswers.seeds, run: NotifierAnswers.read)
}

/// What a command that shows notifications prints: its lines, and the chosen action.
private enum NotifierAnswers {
  private static let output = Result { try CommandOutput() }

  /// Lines have no breaks and no spaces around them, and a message is one line.
  static func read(_ bytes: UnsafeRawBufferPointer) throws {
    let output = try output.get()
    let file = output.descriptor.rawValue
    guard ftruncate(file, 0) == 0, pwrite(file, bytes.baseAddress, bytes.count, 0) >= 0 else {
      throw POSIXError(.EIO)
    }
    for line in output.lines {
      hold(!line.isEmpty && !line.contains(where: \.isNewline), "a line has no line breaks")
      let action = ResponseAction(line)
      hold(ResponseAction(action.description) == action, "an action reads back equal: \(line)")
    }
    let message = output.added(to: "exited with 1")
    hold(!message.contains(where: \.isNewline), "a message is one line")
  }

  static func seeds() -> [[UInt8]] {
    Vectors.texts(["", "shown\ndone\n", "17\nsnooze", " shown \r\n\n skip\n", "error: no bus\n"])
  }
}
