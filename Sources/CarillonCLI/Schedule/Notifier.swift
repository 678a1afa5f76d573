import Carillon
import Foundation

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
      name, "--app-name=Carillon", "--urgency=\(urgency[notice.level ?? ""] ?? "normal")", "--",
      notice.title.withoutZeroes,
    ]
    if let body = notice.body { arguments.append(body.withoutZeroes.escapedAsMarkup) }
    var child = pid_t()
    let code = spawn(arguments, as: &child)
    guard code == 0 else { return "cannot be started: \(String(cString: strerror(code)))" }
    return await wait(for: child)
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

  /// Starts the command with all standard streams connected to `/dev/null`.
  private func spawn(_ arguments: [String], as child: inout pid_t) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor: Int32 in 0...2 {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    var argv = arguments.map { strdup($0) } + [nil]
    defer { for argument in argv { free(argument) } }
    return posix_spawn(&child, path, &actions, nil, &argv, environ)
  }

  /// Waits for the command to end, and kills it after ``limit`` seconds.
  private func wait(for child: pid_t) async -> String? {
    var status: Int32 = 0
    let deadline = ContinuousClock.now + .seconds(Self.limit)
    repeat {
      let ended = waitpid(child, &status, WNOHANG)
      if ended == child {
        guard status != 0 else { return nil }
        let signal = status & 0x7f
        return signal == 0 ? "exited with \(status >> 8 & 0xff)" : "was ended by signal \(signal)"
      }
      if ended < 0, errno != EINTR {
        return "cannot be waited for: \(String(cString: strerror(errno)))"
      }
      // The command is waited for even if the caller is cancelled.
      await Task.detached {
        // A detached task is not cancelled, so this does not throw.
        try? await Task.sleep(for: .milliseconds(20))
      }.value
    } while ContinuousClock.now < deadline
    kill(child, SIGKILL)
    waitpid(child, &status, 0)
    return "took longer than \(Self.limit) s"
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
