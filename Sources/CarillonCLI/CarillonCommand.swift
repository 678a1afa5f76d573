import ArgumentParser
import Carillon

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
          StatusCommand.self, ReplicasCommand.self,
        ]),
      CommandGroup(
        name: "Habits:",
        subcommands: [
          HabitCommand.self, SlotCommand.self, DoneCommand.self, UndoCommand.self,
          SkipCommand.self, ActiveCommand.self,
        ]),
      CommandGroup(
        name: "Reminders:",
        subcommands: [
          PendingCommand.self, PlanCommand.self, ExplainCommand.self, PermissionCommand.self,
          AlertsCommand.self, IngestCommand.self, ReceiveCommand.self, ReceiptCommand.self,
          ReceiptsCommand.self,
        ]),
      CommandGroup(
        name: "Events:",
        subcommands: [
          LogCommand.self, ShowCommand.self, AppendCommand.self, ExportCommand.self,
          ImportCommand.self,
        ]),
      CommandGroup(name: "Care:", subcommands: [RebuildCommand.self, VerifyCommand.self]),
    ])

  static func main() async {
    await CommandRunner.main()
  }
}
