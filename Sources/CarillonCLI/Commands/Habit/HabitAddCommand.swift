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
      let today = try await store.today()
      if slot.isGiven { habit.slots = [try slot.slot(today: today)] }
      let added = try await store.add(habit)
      for slot in habit.slots { try warn(slot, today, call) }
      let ids: JSON = [
        "habit": .text(added.id.description),
        "slots": .array(added.slots) { .text($0.description) },
      ]
      try call.output.confirm(added.written, ids) {
        "Added \(habit.title): \(habit.slots.first?.summary ?? "no reminder")"
      }
    }
  }

  private func warn(_ slot: Slot, _ today: CivilDate, _ call: Call) throws {
    if case .once(let date) = slot.rule, date < today {
      try call.output.warn("\(date) is past; it will not ring")
    }
    if slot.times.isEmpty { try call.output.warn("without --at nothing reminds of it") }
  }
}
