import ArgumentParser
import Carillon

/// `carillon habit add`: a new habit, with a slot where one is described.
struct HabitAddCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a habit, with a reminder where times are given.")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "What it is called; at most 200 bytes.") var title: String
  @OptionGroup(title: "Its reminder") var slot: SlotFlags
  @OptionGroup(title: "The habit") var flags: HabitFlags

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      var habit = Habit(id: .random(), title: title)
      try flags.edit(&habit)
      let frame = try await SlotFrame(call, store)
      if slot.isGiven { habit.slots = [try slot.slot(frame)] }
      let added = try await store.add(habit)
      let warnings = habit.slots.flatMap { $0.warnings(of: habit, frame) }
      call.output.warn(warnings)
      let ids: JSON = [
        "habit": .text(added.id.description),
        "slots": .array(added.slots) { .text($0.description) },
      ]
      try call.output.confirm(added.written, ids.merging(warnings: warnings)) {
        "Added \(habit.title): \(habit.slots.first?.summary(call.output.time) ?? "no reminder")"
      }
    }
  }
}
