import Carillon
import Foundation
import Subprocess

#if canImport(System)
  import System
#else
  import SystemPackage
#endif

/// The desktop's notification service, called through a command such as `notify-send`.
struct Notifier: Sendable {
  /// The command's name for messages.
  let name: String
  private let path: String

  /// Finds the command in `CARILLON_NOTIFY`, else `notify-send`; nil if that is not installed.
  ///
  /// - Throws: `notFound` if `CARILLON_NOTIFY` is not a program.
  init?(environment: [String: String]) throws(CommandFailure) {
    let named = environment["CARILLON_NOTIFY"].flatMap { $0.isEmpty ? nil : $0 }
    name = named ?? "notify-send"
    guard let path = Self.find(name, in: environment["PATH"] ?? "") else {
      guard let named else { return nil }
      throw .notFound(
        "CARILLON_NOTIFY: \(named) is not a program",
        hint: "give the path of a program, or unset CARILLON_NOTIFY")
    }
    self.path = path
  }

  /// Shows a notification, and waits for the command to end.
  ///
  /// The texts are passed as arguments, without a shell.
  ///
  /// - Returns: Why the notification was not shown, or nil if it was.
  func show(_ notice: Notice) async -> String? {
    let urgency = ["passive": "low", "timeSensitive": "critical", "critical": "critical"]
    var arguments = [
      "--app-name=Carillon", "--urgency=\(urgency[notice.level ?? ""] ?? "normal")", "--",
      notice.title.withoutZeroes,
    ]
    if let body = notice.body { arguments.append(body.withoutZeroes.escapedAsMarkup) }
    let (path, words) = (path, Arguments(executablePathOverride: name, remainingValues: arguments))
    // Also if the caller is cancelled: the notification is shown, or the reason is known.
    return await Task.detached { await Self.run(path, words) }.value
  }

  /// Runs the command, which reads nothing and whose output is discarded; kills one that hangs.
  private static func run(_ path: String, _ arguments: Arguments) async -> String? {
    do {
      let outcome = try await Subprocess.run(
        .path(FilePath(path)), arguments: arguments, input: .none, output: .discarded,
        error: .discarded
      ) { execution in
        await execution.end(within: .seconds(limit))
      }
      guard outcome.closureResult else { return "took longer than \(limit) s" }
      return switch outcome.terminationStatus {
      case .exited(0): nil
      case .exited(let code): "exited with \(code)"
      case .signaled(let signal): "was ended by signal \(signal)"
      }
    } catch {
      return "cannot be started: \(error)"
    }
  }

  private static func find(_ name: String, in path: String) -> String? {
    let candidates =
      name.contains("/")
      ? [name] : path.split(separator: ":").map { "\($0)/\(name)" }
    return candidates.first { candidate in
      var isDirectory: ObjCBool = false
      return FileManager.default.fileExists(atPath: candidate, isDirectory: &isDirectory)
        && !isDirectory.boolValue && FileManager.default.isExecutableFile(atPath: candidate)
    }
  }

  /// The time limit for the command, in seconds: long enough for a busy machine.
  static let limit = 30
}

extension String {
  /// The text without NUL characters, which would end an argument.
  fileprivate var withoutZeroes: String { String(filter { $0 != "\0" }) }

  /// The text escaped for the body of a notification, which may contain markup.
  fileprivate var escapedAsMarkup: String {
    replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
