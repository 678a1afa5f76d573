import Carillon
import Foundation

/// The desktop's own notification service, by a command such as `notify-send`.
struct Notifier: Sendable {
  /// What messages call it.
  let name: String
  private let path: String

  /// The command that `CARILLON_NOTIFY` names, else `notify-send`; nil where that is not installed.
  ///
  /// - Throws: `notFound` where the command that is named is no program.
  init?(environment: [String: String]) throws(CommandFailure) {
    let named = environment["CARILLON_NOTIFY"].flatMap { $0.isEmpty ? nil : $0 }
    name = named ?? "notify-send"
    guard let path = Self.find(name, in: environment["PATH"] ?? "") else {
      guard let named else { return nil }
      throw .notFound(
        "CARILLON_NOTIFY names \(named), which is no program",
        hint: "give the path of a program, or unset CARILLON_NOTIFY")
    }
    self.path = path
  }

  /// Shows a notification, and waits until the service took it.
  ///
  /// The texts are arguments of their own and pass no shell.
  ///
  /// - Returns: Why the service did not take it; nil where it did.
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

  /// Starts the command with nothing to read, and what it prints thrown away.
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

  /// Waits for the end of the command; one that hangs is ended.
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
      if ended < 0, errno != EINTR { return "is lost: \(String(cString: strerror(errno)))" }
      // Also when the caller is cancelled: it was started, and is waited for.
      await Task.detached {
        // Nobody cancels this one.
        try? await Task.sleep(for: .milliseconds(20))
      }.value
    } while ContinuousClock.now < deadline
    kill(child, SIGKILL)
    waitpid(child, &status, 0)
    return "took longer than \(Self.limit) s"
  }

  /// How long the command may take, in seconds: it tells what hangs, not a busy machine.
  static let limit = 30
}

extension String {
  /// Without characters that end an argument.
  fileprivate var withoutZeroes: String { String(filter { $0 != "\0" }) }

  /// As the body of a notification, which may hold markup, says it.
  fileprivate var escapedAsMarkup: String {
    replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
