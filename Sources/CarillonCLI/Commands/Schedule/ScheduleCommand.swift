import ArgumentParser
import Carillon
import CarillonDocuments

/// `carillon schedule`: the verbs for the reminders of habits.
struct ScheduleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schedule", abstract: "Add, change and remove reminders.",
    subcommands: [ScheduleAddCommand.self, ScheduleEditCommand.self, ScheduleRemoveCommand.self])
}

/// `carillon schedule add`: adds a schedule to a habit.
struct ScheduleAddCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a reminder to a habit.",
    discussion: """
      Examples:
        carillon schedule add Walk --on sat,sun --at 10:00
        carillon schedule add Walk --at 20:00 --unless done --quiet-hours drop
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument
  @OptionGroup(title: "The reminder") var flags: ScheduleFlags

  func run(_ call: Call) async throws {
    guard flags.isGiven else {
      throw CommandFailure.usage(
        "the reminder needs at least one option", hint: "give a time: --at 17:00")
    }
    try await call.withStore { store in
      let found = try await habit.find(in: store)
      let frame = try await ScheduleFrame(call, store)
      let schedule = try flags.schedule(frame)
      let before = try await store.plan().leftOut
      let written = try await store.edit(found.id) { $0.schedules.append(schedule) }
      let warnings =
        flags.rule.warnings(frame) + schedule.warnings(of: found, frame)
        + (try await call.queueWarnings(store, before: before, changed: [schedule.id]))
        + (try await call.quietHoursWarnings(store, of: found.id))
      call.output.warn(warnings)
      let next = try await store.nextFiringText(of: found, schedule.id, call.output)
      try call.output.confirm(written, schedule.json(of: found, warnings)) {
        "Added to \(found.title): \(schedule.summary(call.output.time))\(next)"
      }
    }
  }
}

/// `carillon schedule edit`: changes a schedule; options that are not given leave it unchanged.
struct ScheduleEditCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Change a reminder.",
    discussion: """
      Only the given values change. The value none clears an optional one. To see the IDs of a \
      habit's schedules, run:
        carillon habit show HABIT
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var schedule: ScheduleArgument
  @OptionGroup(title: "The reminder") var flags: ScheduleFlags

  func run(_ call: Call) async throws {
    guard flags.isGiven else {
      throw CommandFailure.usage(
        "no change is given", hint: "give at least one option, such as --at 18:00")
    }
    try await call.withStore { store in
      let (habit, found) = try await schedule.find(in: store, call.output.time)
      let frame = try await ScheduleFrame(call, store)
      var changed = found
      try flags.edit(&changed, frame)
      let before = try await store.plan().leftOut
      let past = try await store.adherence(of: habit.id)
      let written = try await store.edit(habit.id) { [flags] habit in
        for index in habit.schedules.indices where habit.schedules[index].id == found.id {
          try flags.edit(&habit.schedules[index], frame)
        }
      }
      let warnings =
        flags.rule.warnings(frame) + changed.warnings(of: habit, frame)
        + (try await call.queueWarnings(store, before: before, changed: [changed.id]))
        + (try await call.quietHoursWarnings(store, of: habit.id))
        + [
          try await store.adherence(of: habit.id).warning(after: past, of: habit, call.output.time)
        ].compactMap(\.self)
      call.output.warn(warnings)
      let next = try await store.nextFiringText(of: habit, changed.id, call.output)
      try call.output.confirm(written, changed.json(of: habit, warnings)) {
        "\(habit.title): \(changed.summary(call.output.time))\(next)"
      }
    }
  }
}

/// `carillon schedule remove`: removes a schedule from its habit.
struct ScheduleRemoveCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a reminder from its habit.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var schedule: ScheduleArgument

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      let (habit, found) = try await schedule.find(in: store, call.output.time)
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
