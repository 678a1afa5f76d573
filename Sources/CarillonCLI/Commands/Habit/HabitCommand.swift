import ArgumentParser

/// `carillon habit`: the verbs for habits.
struct HabitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "habit", abstract: "Add, list and change habits.",
    subcommands: [
      HabitAddCommand.self, HabitListCommand.self, HabitShowCommand.self, HabitEditCommand.self,
      HabitPauseCommand.self, HabitResumeCommand.self, HabitArchiveCommand.self,
      HabitUnarchiveCommand.self, HabitDeleteCommand.self, HabitRestoreCommand.self,
    ])
}
