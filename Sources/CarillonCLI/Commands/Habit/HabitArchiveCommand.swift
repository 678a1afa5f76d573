import ArgumentParser
import Carillon
import CarillonDocuments
import Foundation

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
  @OptionGroup var second: SecondHabitFlag

  func run(_ call: Call) async throws {
    try await call.change(habit, prefer: .archived, "Unarchived", else: "is not archived") {
      [second] store, habit in
      let isHidden = habit.isArchived && !habit.isDeleted
      return try await store.unarchive(
        habit.id,
        if: isHidden ? second.check(habit.title, of: habit, includingArchived: false) : nil)
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

      With --erase, the habit, its entries and its receipts are permanently erased, on this \
      replica immediately, and on the other replicas when they sync. This cannot be undone.
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument
  @Flag(help: "Permanently erase the habit with its entries and receipts, on every replica.")
  var erase = false
  @Flag(help: "With --erase, do not ask.") var yes = false

  func run(_ call: Call) async throws {
    if erase { return try await erasePermanently(call) }
    guard !yes else {
      throw CommandFailure.usage("--yes requires --erase", hint: "leave out --yes")
    }
    try await call.change(habit, prefer: .currentFirst, "Deleted", else: "is already deleted") {
      try await $0.delete($1.id)
    }
  }

  private func erasePermanently(_ call: Call) async throws {
    try await call.withStore { store in
      let habit = try await habit.find(in: store, prefer: .currentFirst)
      try confirm(habit)
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

extension HabitDeleteCommand {
  /// Asks on a terminal whether to erase the habit.
  ///
  /// - Throws: A usage error without a terminal and without `--yes`; exit code 1 for any answer but
  ///   yes.
  private func confirm(_ habit: Habit) throws {
    guard !yes else { return }
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
      throw CommandFailure.usage(
        "--erase cannot be undone and requires --yes without a terminal",
        hint: "add --yes to erase \(habit.title) permanently")
    }
    _ = try ByteOutput.standardError.write(
      "Permanently erase \(habit.title.printable) with its entries and receipts, on every replica? "
        + "Type yes: ")
    guard readLine()?.trimmed.lowercased() == "yes" else {
      _ = try ByteOutput.standardError.write("Nothing was erased.\n")
      throw ExitCode(ExitStatus.no.rawValue)
    }
  }
}

/// `carillon habit restore`: restores a deleted habit.
struct HabitRestoreCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restore a deleted habit.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument
  @OptionGroup var second: SecondHabitFlag

  func run(_ call: Call) async throws {
    try await call.change(habit, prefer: .deleted, "Restored", else: "is not deleted") {
      [second] store, habit in
      try await store.restore(
        habit.id, if: habit.isDeleted ? second.check(habit.title, of: habit) : nil)
    }
  }
}

extension Call {
  /// Finds a habit, changes it, and prints what was done, or that there was nothing to change.
  func change(
    _ argument: HabitArgument, prefer preference: HabitArgument.Preference = .current,
    _ done: String, else already: String, _ body: (Store, Habit) async throws -> Written
  ) async throws {
    try await withStore { store in
      let habit = try await argument.find(in: store, prefer: preference)
      let before = try await SnoozesBefore(of: habit, in: store)
      let written = try await body(store, habit)
      let snoozes = try await before.changes(in: store, output.time)
      try output.confirm(written, ["habit": .text(habit.id.description)]) {
        written.events.contains { $0.kind != .appActive }
          ? "\(done) \(habit.title).\(snoozes)" : "\(habit.title) \(already)."
      }
    }
  }
}
