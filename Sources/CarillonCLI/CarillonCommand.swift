import ArgumentParser
import Carillon
import CarillonDocuments
import Dispatch
import Foundation

/// The `carillon` command, the root of all verbs.
@main
struct CarillonCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "carillon",
    abstract: "Record habits, plan their reminders, and sync them between devices.",
    discussion: """
      Every command but hub takes --store DIR, --now INSTANT, --zone TZID, --json and --quiet, \
      before or after its name. Without --store, the environment variable CARILLON_STORE names \
      the store; else it is in ~/.local/share/carillon, where the command init creates it.

      For the dates and times that all commands take, run: carillon help times

      Examples:
        carillon init --replica phone
        carillon habit add Walk --on mon-fri --at 17:00 --unless done
        carillon today
        carillon done walk
      """,
    version: ProgramVersion.current,
    subcommands: [TimesCommand.self],
    groupedSubcommands: [
      CommandGroup(
        name: "Stores:",
        subcommands: [
          InitCommand.self, CloneCommand.self, JoinCommand.self, SyncCommand.self,
          DiffCommand.self,
          StatusCommand.self, ReplicasCommand.self, SettingsCommand.self, ServeCommand.self,
          InviteCommand.self, AccessCommand.self, HubCommand.self,
        ]),
      CommandGroup(
        name: "Habits:",
        subcommands: [
          TodayCommand.self, WeekCommand.self, HabitCommand.self, ScheduleCommand.self,
          DoneCommand.self, UndoCommand.self, SkipCommand.self, SnoozeCommand.self,
          NoteCommand.self, EntryCommand.self, ActiveCommand.self,
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
        name: "Maintenance:",
        subcommands: [
          BackupCommand.self, RestoreCommand.self, RecoverCommand.self, SealCommand.self,
          PairCommand.self, RebuildCommand.self, VerifyCommand.self, CompactCommand.self,
          JoinStoreCommand.self,
        ]),
    ])

  /// More than any verb needs, including a sync of two stores in one process.
  private static let leastOpenFiles = 48

  /// Runs the command line.
  static func main() {
    // The process ends quietly if its reader goes away, even if its parent ignores the signal.
    signal(SIGPIPE, SIG_DFL)
    DispatchLog.turnOff()
    Heap.saveAddressSpace()
    StandardStream.hold()
    let given = Array(CommandLine.arguments.dropFirst())
    if let failure: CommandFailure = ArgumentText.failure() { CommandRunner.end(failure, given) }
    let files: CommandFailure? = OpenFileLimit.failure(least: leastOpenFiles)
    if let files { CommandRunner.end(files, given) }
    if let failure = ServeCommand.runAtOnce(given) { CommandRunner.end(failure, given) }
    CommandRunner.main(given)
  }
}
