import ArgumentParser
import Carillon

/// `carillon slot`: the reminders of habits.
struct SlotCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "slot", abstract: "Add, change and remove reminders.",
    subcommands: [SlotAddCommand.self, SlotEditCommand.self, SlotRemoveCommand.self])
}

/// `carillon slot add`: one more slot of a habit.
struct SlotAddCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a reminder to a habit.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument
  @OptionGroup(title: "The reminder") var flags: SlotFlags

  func run(_ call: Call) async throws {
    guard flags.isGiven else {
      throw CommandFailure.usage("the reminder is not described", hint: "give --at 17:00")
    }
    try await call.withStore { store in
      let found = try await habit.find(in: store)
      let frame = try await SlotFrame(call, store)
      let slot = try flags.slot(frame)
      let written = try await store.edit(found.id) { $0.slots.append(slot) }
      let warnings = slot.warnings(of: found, frame)
      call.output.warn(warnings)
      try call.output.confirm(written, slot.json(of: found, warnings)) {
        "Added to \(found.title): \(slot.summary(call.output.time))"
      }
    }
  }
}

/// `carillon slot edit`: changes what is given.
struct SlotEditCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Change a reminder; none clears what may be absent.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var slot: SlotArgument
  @OptionGroup(title: "The reminder") var flags: SlotFlags

  func run(_ call: Call) async throws {
    guard flags.isGiven else {
      throw CommandFailure.usage("nothing to change is given", hint: "give --at 18:00, say")
    }
    try await call.withStore { store in
      let (habit, found) = try await slot.find(in: store)
      let frame = try await SlotFrame(call, store)
      var changed = found
      try flags.edit(&changed, frame)
      let written = try await store.edit(habit.id) { [flags] habit in
        for index in habit.slots.indices where habit.slots[index].id == found.id {
          try flags.edit(&habit.slots[index], frame)
        }
      }
      let warnings = changed.warnings(of: habit, frame)
      call.output.warn(warnings)
      try call.output.confirm(written, changed.json(of: habit, warnings)) {
        "\(habit.title): \(changed.summary(call.output.time))"
      }
    }
  }
}

/// `carillon slot remove`: takes a slot away.
struct SlotRemoveCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a reminder.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var slot: SlotArgument

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      let (habit, found) = try await slot.find(in: store)
      let written = try await store.edit(habit.id) { $0.slots.removeAll { $0.id == found.id } }
      try call.output.confirm(written, found.json(of: habit)) {
        "Removed from \(habit.title): \(found.summary(call.output.time))"
      }
    }
  }
}

extension Slot {
  fileprivate func json(of habit: Habit, _ warnings: [String] = []) -> JSON {
    let ids: JSON = ["habit": .text(habit.id.description), "slots": [.text(id.description)]]
    return ids.merging(warnings: warnings)
  }
}
