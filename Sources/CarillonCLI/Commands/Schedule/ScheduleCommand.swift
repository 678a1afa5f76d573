import ArgumentParser
import Carillon

/// `carillon schedule`: the reminders of habits.
struct ScheduleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schedule", abstract: "Add, change and remove reminders.",
    subcommands: [ScheduleAddCommand.self, ScheduleEditCommand.self, ScheduleRemoveCommand.self])
}

/// `carillon schedule add`: one more schedule of a habit.
struct ScheduleAddCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a reminder to a habit.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument
  @OptionGroup(title: "The reminder") var flags: ScheduleFlags

  func run(_ call: Call) async throws {
    guard flags.isGiven else {
      throw CommandFailure.usage("the reminder is not described", hint: "give --at 17:00")
    }
    try await call.withStore { store in
      let found = try await habit.find(in: store)
      let frame = try await ScheduleFrame(call, store)
      let schedule = try flags.schedule(frame)
      let written = try await store.edit(found.id) { $0.schedules.append(schedule) }
      let warnings = schedule.warnings(of: found, frame)
      call.output.warn(warnings)
      try call.output.confirm(written, schedule.json(of: found, warnings)) {
        "Added to \(found.title): \(schedule.summary(call.output.time))"
      }
    }
  }
}

/// `carillon schedule edit`: changes what is given.
struct ScheduleEditCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Change a reminder; none clears what may be absent.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var schedule: ScheduleArgument
  @OptionGroup(title: "The reminder") var flags: ScheduleFlags

  func run(_ call: Call) async throws {
    guard flags.isGiven else {
      throw CommandFailure.usage("nothing to change is given", hint: "give --at 18:00, say")
    }
    try await call.withStore { store in
      let (habit, found) = try await schedule.find(in: store)
      let frame = try await ScheduleFrame(call, store)
      var changed = found
      try flags.edit(&changed, frame)
      let written = try await store.edit(habit.id) { [flags] habit in
        for index in habit.schedules.indices where habit.schedules[index].id == found.id {
          try flags.edit(&habit.schedules[index], frame)
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

/// `carillon schedule remove`: takes a schedule away.
struct ScheduleRemoveCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a reminder.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var schedule: ScheduleArgument

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      let (habit, found) = try await schedule.find(in: store)
      let written = try await store.edit(habit.id) { $0.schedules.removeAll { $0.id == found.id } }
      try call.output.confirm(written, found.json(of: habit)) {
        "Removed from \(habit.title): \(found.summary(call.output.time))"
      }
    }
  }
}

extension Schedule {
  fileprivate func json(of habit: Habit, _ warnings: [String] = []) -> JSON {
    let ids: JSON = ["habit": .text(habit.id.description), "schedules": [.text(id.description)]]
    return ids.merging(warnings: warnings)
  }
}
