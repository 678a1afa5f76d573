import ArgumentParser
import Carillon

/// `carillon habit add`: a new habit, with a schedule where one is described.
struct HabitAddCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a habit, with a reminder where times are given.")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "What it is called; at most 200 bytes.") var title: String
  @OptionGroup(title: "Its reminder") var schedule: ScheduleFlags
  @OptionGroup(title: "The habit") var flags: HabitFlags

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      var habit = Habit(id: .random(), title: title)
      try flags.edit(&habit)
      let frame = try await ScheduleFrame(call, store)
      if schedule.isGiven { habit.schedules = [try schedule.schedule(frame)] }
      let added = try await store.add(habit)
      let warnings = habit.schedules.flatMap { $0.warnings(of: habit, frame) }
      call.output.warn(warnings)
      let ids: JSON = [
        "habit": .text(added.id.description),
        "schedules": .array(added.schedules) { .text($0.description) },
      ]
      try call.output.confirm(added.written, ids.merging(warnings: warnings)) {
        "Added \(habit.title): \(habit.schedules.first?.summary(call.output.time) ?? "no reminder")"
      }
    }
  }
}
