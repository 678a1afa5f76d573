import ArgumentParser
import Carillon

/// `carillon habit archive`: hides a habit and suppresses it.
struct HabitArchiveCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "archive", abstract: "Hide a habit and suppress it.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument

  func run(_ call: Call) async throws {
    try await call.change(habit, "Archived", else: "is archived already") {
      try await $0.setArchived(true, $1.id)
    }
  }
}

/// `carillon habit unarchive`: shows it again.
struct HabitUnarchiveCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "unarchive", abstract: "Show an archived habit again.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument

  func run(_ call: Call) async throws {
    try await call.change(habit, "Unarchived", else: "is not archived") {
      try await $0.setArchived(false, $1.id)
    }
  }
}

/// `carillon habit delete`: until it is restored, or for ever.
struct HabitDeleteCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a habit; its entries are kept until it is restored.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument
  @Flag(help: "Erase it with all its entries and receipts, on every replica; nothing undoes it.")
  var erase = false

  func run(_ call: Call) async throws {
    if erase { return try await eraseForEver(call) }
    try await call.change(habit, "Deleted", else: "is deleted already") {
      try await $0.delete($1.id)
    }
  }

  private func eraseForEver(_ call: Call) async throws {
    try await call.withStore { store in
      let habit = try await habit.find(in: store)
      let report = try await store.erase(.habit(habit.id))
      let warnings = try await call.forgetErased(in: store)
      call.output.warn(warnings)
      let ids: JSON = [
        "habit": .text(habit.id.description), "erased": .integer(report.payloadCount),
      ]
      try call.output.confirm(report.written, ids.merging(warnings: warnings)) {
        // At least the event that made it is covered: where nothing went, it was cut off.
        report.payloadCount == 0
          ? "Erased \(habit.title) for ever. Nothing shows it any more; what was said of it leaves "
            + "the files when a verb next opens the store."
          : "Erased \(habit.title) for ever: \(report.payloadCount.counted("event")) lost what "
            + "they said, here at once, on other replicas when they sync. Nothing brings it back."
      }
    }
  }
}

/// `carillon habit restore`: takes deletes back.
struct HabitRestoreCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Bring a deleted habit back.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument

  func run(_ call: Call) async throws {
    try await call.change(habit, prefer: .deleted, "Restored", else: "is not deleted") {
      try await $0.restore($1.id)
    }
  }
}

extension Call {
  /// Finds a habit, changes it, and says so, or that there was nothing to change.
  func change(
    _ argument: HabitArgument, prefer preference: HabitArgument.Preference = .live,
    _ done: String, else already: String, _ body: (Store, Habit) async throws -> Written
  ) async throws {
    try await withStore { store in
      let habit = try await argument.find(in: store, prefer: preference)
      let written = try await body(store, habit)
      try output.confirm(written, ["habit": .text(habit.id.description)]) {
        written.events.contains { $0.kind != .appActive }
          ? "\(done) \(habit.title)." : "\(habit.title) \(already)."
      }
    }
  }
}
