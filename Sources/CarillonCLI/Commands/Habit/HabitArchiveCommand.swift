import ArgumentParser
import Carillon

/// `carillon habit archive`: hides a habit and stops its reminders.
struct HabitArchiveCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "archive", abstract: "Hide a habit and stop its reminders.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument

  func run(_ call: Call) async throws {
    try await call.change(habit, "Archived", else: "is already archived") {
      try await $0.archive($1.id)
    }
  }
}

/// `carillon habit unarchive`: shows an archived habit again, with its reminders.
struct HabitUnarchiveCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "unarchive", abstract: "Show an archived habit and its reminders again.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument

  func run(_ call: Call) async throws {
    try await call.change(habit, "Unarchived", else: "is not archived") {
      try await $0.unarchive($1.id)
    }
  }
}

/// `carillon habit delete`: deletes a habit, or erases it permanently.
struct HabitDeleteCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a habit, or erase it permanently.",
    discussion: """
      A deleted habit keeps its entries, and can be restored:
        carillon habit restore HABIT

      With --erase, the habit, its entries and its receipts are permanently erased, here at once, \
      and on the other replicas when they sync. This cannot be undone.
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument
  @Flag(help: "Permanently erase the habit with its entries and receipts, on every replica.")
  var erase = false

  func run(_ call: Call) async throws {
    if erase { return try await eraseForEver(call) }
    try await call.change(habit, "Deleted", else: "is already deleted") {
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
        // At least the habit's own events are covered; 0 means that the erasure was interrupted.
        report.payloadCount == 0
          ? "Permanently erased \(habit.title). Its data is removed from the files when a command "
            + "next opens the store."
          : "Permanently erased \(habit.title): \(report.payloadCount.counted("event")) redacted "
            + "here. Other replicas follow when they sync."
      }
    }
  }
}

/// `carillon habit restore`: restores a deleted habit.
struct HabitRestoreCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restore a deleted habit.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument

  func run(_ call: Call) async throws {
    try await call.change(habit, prefer: .deleted, "Restored", else: "is not deleted") {
      try await $0.restore($1.id)
    }
  }
}

extension Call {
  /// Finds a habit, changes it, and prints what was done, or that there was nothing to change.
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
