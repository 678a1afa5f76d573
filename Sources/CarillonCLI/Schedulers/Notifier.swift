import Carillon
import CarillonDocuments
import Foundation
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// The desktop's notification service, called through a command such as `notify-send`.
struct Notifier: Sendable {
  /// The command for messages, as it was given.
  let name: String
  private let path: String
  /// The words of the command: the name by which it is called, then its arguments.
  private let words: [String]
  /// The path of `stdbuf`, if the command is `notify-send`, which otherwise keeps what it prints
  /// until it ends.
  private let lineBuffer: String?

  /// Finds the command in `CARILLON_NOTIFY`, else `notify-send`; nil if that is not installed.
  ///
  /// `CARILLON_NOTIFY` is the path of a program, or a command with arguments in the form of a
  /// shell.
  ///
  /// - Throws: `notFound` if `CARILLON_NOTIFY` is not a program; a usage error if a quote in it is
  ///   not closed.
  init?(environment: [String: String]) throws(CommandFailure) {
    let search = environment["PATH"] ?? ""
    let given = environment["CARILLON_NOTIFY"] ?? ""
    guard given.contains(where: { !$0.isWhitespace }) else {
      guard let path = Self.find(Self.standard, in: search) else { return nil }
      (name, self.path, words) = (Self.standard, path, [Self.standard])
      lineBuffer = Self.find("stdbuf", in: search)
      return
    }
    name = given
    if let path = Self.find(given, in: search) {
      (self.path, words) = (path, [given])
      lineBuffer = Self.isStandard(path) ? Self.find("stdbuf", in: search) : nil
      return
    }
    words = try CommandWords.split(given, of: "CARILLON_NOTIFY")
    guard let first = words.first, let path = Self.find(first, in: search) else {
      throw .notFound(
        "CARILLON_NOTIFY: \(words.first ?? given) is not a program",
        hint: "give the path of a program with its arguments, or unset CARILLON_NOTIFY")
    }
    self.path = path
    lineBuffer = Self.isStandard(path) ? Self.find("stdbuf", in: search) : nil
  }

  private static let standard = "notify-send"

  private static func isStandard(_ path: String) -> Bool {
    path == standard || path.hasSuffix("/" + standard)
  }

  /// Shows a notification, and waits for the command to end.
  ///
  /// The texts are passed as arguments, without a shell.
  ///
  /// - Returns: Why the notification was not shown, or nil if it was.
  func show(_ notice: Notice) async -> String? {
    let command = Arguments(
      executablePathOverride: words[0],
      remainingValues: words.dropFirst() + Self.arguments(for: notice))
    let path = path
    // Also if the caller is cancelled: the notification is shown, or the reason is known.
    return await Task.detached { await Self.run(path, command) }.value
  }

  /// Runs the command, which reads nothing; kills one that hangs.
  private static func run(_ path: String, _ arguments: Arguments) async -> String? {
    do {
      let said = try CommandOutput()
      let outcome = try await Subprocess.run(
        .path(FilePath(path)), arguments: arguments, input: .none,
        output: .fileDescriptor(said.descriptor, closeAfterSpawningProcess: false),
        error: .fileDescriptor(said.descriptor, closeAfterSpawningProcess: false)
      ) { execution in
        await execution.end(within: .seconds(limit))
      }
      guard outcome.closureResult else { return said.added(to: "took longer than \(limit) s") }
      if case .exited(0) = outcome.terminationStatus { return nil }
      return said.added(to: outcome.terminationStatus.text)
    } catch {
      return "cannot be started: \(error)"
    }
  }

  private static func arguments(for notice: Notice) -> [String] {
    let urgency = ["passive": "low", "timeSensitive": "critical", "critical": "critical"]
    let arguments = [
      "--app-name=Carillon", "--urgency=\(urgency[notice.level ?? ""] ?? "normal")", "--",
      notice.title.withoutZeroes,
    ]
    return arguments + (notice.body.map { [$0.withoutZeroes.escapedAsMarkup] } ?? [])
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

  // MARK: - Actions

  /// The command that shows a notification with actions; nil if it cannot.
  ///
  /// `notify-send` gets them as arguments, and any other command in `CARILLON_ACTIONS`.
  func withActions(for notice: Notice) -> NotificationWithActions? {
    let arguments = Self.arguments(for: notice)
    guard Self.isStandard(path) else {
      let command = Arguments(
        executablePathOverride: words[0], remainingValues: words.dropFirst() + arguments)
      return NotificationWithActions(path: path, arguments: command)
    }
    guard let lineBuffer else { return nil }
    let actions = NotificationWithActions.actions.map(\.description).map {
      "--action=\($0)=\($0.capitalized)"
    }
    return NotificationWithActions(
      path: lineBuffer,
      arguments: Arguments(
        ["--output=L", path] + words.dropFirst() + ["--print-id"] + actions + arguments))
  }

  /// Whether a command that shows no notification with actions may show one without them.
  ///
  /// `notify-send` of libnotify before 0.8 refuses them.
  var mayShowWithoutActions: Bool { Self.isStandard(path) }

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
