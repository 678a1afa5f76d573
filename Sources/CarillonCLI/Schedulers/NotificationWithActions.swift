import Carillon
import CarillonDocuments
import Foundation
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// A command that shows a notification with actions, and runs until it is answered or closed.
///
/// It prints `shown`, or the notification's ID as `notify-send --print-id` does, once the
/// notification is on the screen, and the name of the chosen action before it ends.
struct NotificationWithActions: Sendable {
  let path: String
  let arguments: Arguments

  /// The actions that are offered.
  static let actions: [ResponseAction] = [.done, .snooze, .skip]

  /// The environment variable that names the actions.
  static let variable = "CARILLON_ACTIONS"

  /// How a command began.
  enum Start: Sendable {
    case shown
    case refused(String)
    /// It was killed, since it showed nothing in time.
    case late(String)
  }

  /// Runs the command until the notification is answered or closed, at most for a day.
  ///
  /// If the task is cancelled, the command is interrupted, and killed if that does not end it.
  ///
  /// - Parameter report: Is called once, as soon as the notification is shown or refused.
  /// - Returns: The chosen action, or nil.
  func run(_ report: @escaping @Sendable (Start) -> Void) async -> ResponseAction? {
    do {
      let said = try CommandOutput()
      var options = PlatformOptions()
      // A group of its own, so that what a script started ends with it.
      options.processGroupID = 0
      options.teardownSequence = Self.closing
      let start = try RunningPrograms.shared.start()
      defer { start.end() }
      let outcome = try await Subprocess.run(
        .path(FilePath(path)), arguments: arguments,
        environment: .inherit.updating([
          Environment.Key(stringLiteral: Self.variable): Self.actions.map(\.description)
            .joined(separator: " ")
        ]),
        platformOptions: options, input: .none,
        output: .fileDescriptor(said.descriptor, closeAfterSpawningProcess: false),
        error: .fileDescriptor(said.descriptor, closeAfterSpawningProcess: false)
      ) { execution in
        start.succeed { try? execution.send(signal: .kill, toProcessGroup: true) }
        defer { start.end() }
        let isInTime = await Self.waitForStart(execution, said)
        if isInTime {
          if said.isShown { report(.shown) }
          _ = await execution.end(within: Self.patience, then: Self.closing)
        } else {
          try? execution.send(signal: .kill, toProcessGroup: true)
        }
        return isInTime
      }
      let isInTime = outcome.closureResult
      if said.isShown {
        report(.shown)
      } else if !isInTime {
        report(.late(said.added(to: "took longer than \(Notifier.limit) s")))
        return nil
      } else if case .exited(0) = outcome.terminationStatus {
        report(.shown)
      } else {
        report(.refused(said.added(to: outcome.terminationStatus.text)))
        return nil
      }
      return said.lines.map { ResponseAction($0) }.last(where: Self.actions.contains)
    } catch {
      report(.refused("cannot be started: \(error)"))
      return nil
    }
  }

  // MARK: -

  /// How long a notification waits for an answer.
  private static let patience = Duration.seconds(86_400)

  /// Interrupts the command, upon which `notify-send` closes its notification.
  private static let closing = [
    TeardownStep.send(
      signal: .interrupt, toProcessGroup: true, allowedDurationToNextStep: .seconds(2))
  ]

  /// Waits until the notification is shown or the command has ended.
  ///
  /// - Returns: False if neither happened in time.
  private static func waitForStart<Input, Output, Errors>(
    _ execution: Execution<Input, Output, Errors>, _ said: CommandOutput
  ) async -> Bool {
    let deadline = ContinuousClock.now + .seconds(Notifier.limit)
    while !said.isShown, !hasEnded(execution.processIdentifier.value), !Task.isCancelled {
      guard ContinuousClock.now < deadline else { return false }
      // Nothing notifies this process of changes to the file.
      try? await Task.sleep(for: .milliseconds(10))
    }
    return true
  }

  /// Whether a child process has ended; it is still to be waited for.
  private static func hasEnded(_ process: pid_t) -> Bool {
    var info = siginfo_t()
    return waitid(P_PID, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT) != 0
      || info.si_signo != 0
  }
}

extension CommandOutput {
  /// Whether the command said that its notification is on the screen.
  fileprivate var isShown: Bool {
    lines.contains { $0 == "shown" || UInt32($0).map { $0 > 0 } ?? false }
  }
}

extension TerminationStatus {
  /// `exited with 1`.
  var text: String {
    switch self {
    case .exited(let code): "exited with \(code)"
    case .signaled(let signal): "was ended by signal \(signal)"
    }
  }
}
