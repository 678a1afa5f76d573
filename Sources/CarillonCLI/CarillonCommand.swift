import ArgumentParser
import Carillon
import Dispatch
import Foundation

/// `carillon`: the root of all verbs.
@main struct CarillonCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "carillon",
    abstract: "Habits and their reminders: kept as events, planned for every device, synced.",
    discussion: """
      Every verb takes --store DIR (or CARILLON_STORE), --now INSTANT, --zone TZID, --json and \
      --quiet, before or after its name.
      """,
    version: "0.1.0",
    groupedSubcommands: [
      CommandGroup(
        name: "Stores:",
        subcommands: [
          InitCommand.self, CloneCommand.self, SyncCommand.self, DiffCommand.self,
          StatusCommand.self, ReplicasCommand.self, SettingsCommand.self,
        ]),
      CommandGroup(
        name: "Habits:",
        subcommands: [
          HabitCommand.self, ScheduleCommand.self, DoneCommand.self, UndoCommand.self,
          SkipCommand.self, SnoozeCommand.self, NoteCommand.self, ActiveCommand.self,
        ]),
      CommandGroup(
        name: "Reminders:",
        subcommands: [
          PendingCommand.self, PlanCommand.self, WatchCommand.self, ExplainCommand.self,
          PermissionCommand.self,
          AlertsCommand.self, IngestCommand.self, ReceiveCommand.self, ReceiptCommand.self,
          ReceiptsCommand.self,
        ]),
      CommandGroup(
        name: "Events:",
        subcommands: [
          LogCommand.self, ShowCommand.self, AppendCommand.self, ExportCommand.self,
          ImportCommand.self,
        ]),
      CommandGroup(
        name: "Care:",
        subcommands: [
          RebuildCommand.self, VerifyCommand.self, CompactCommand.self, JoinStoreCommand.self,
        ]),
    ])

  /// Answers at once where that can be done without the parser and without a thread, since starting
  /// these takes longer than a short answer.
  static func main() {
    // A reader that went away ends the process quietly, also where the parent ignores the signal.
    signal(SIGPIPE, SIG_DFL)
    holdStandardStreams()
    let given = Array(CommandLine.arguments.dropFirst())
    if let status = PendingCommand.answerAtOnce(given) { Foundation.exit(status.rawValue) }
    Task { await CommandRunner.main(given) }
    dispatchMain()
  }

  /// Sees that none of the standard streams is closed: the next file to be opened, such as the
  /// log's, would take its number, and what is meant for people would be written into it.
  ///
  /// What stands in can be neither read nor written, so that whoever tries is told.
  private static func holdStandardStreams() {
    for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    where fcntl(stream, F_GETFD) == -1 {
      _ = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
