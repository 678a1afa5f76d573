import ArgumentParser
import Carillon
import CarillonDocuments

/// `carillon habit add`: adds a habit, with a schedule if its flags are given.
struct HabitAddCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a habit, optionally with a reminder.",
    discussion: """
      Examples:
        carillon habit add Walk --on mon-fri --at 07:30 --at 17:00 --unless done
        carillon habit add Water --target 2 --unit litres --interval 2h --window 08:00-20:00
        carillon habit add Dentist --once 2026-12-24T18:00 --before 1h
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The habit's title, at most 200 bytes.") var title: String
  @OptionGroup var second: SecondHabitFlag
  @OptionGroup(title: "The reminder") var schedule: ScheduleFlags
  @OptionGroup(title: "The habit") var flags: HabitFlags

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      var habit = Habit(id: .random(), title: title)
      let frame = try await ScheduleFrame(call, store)
      try flags.edit(&habit, today: frame.today)
      if schedule.isGiven { habit.schedules = [try schedule.schedule(frame)] }
      let before = try await store.plan().leftOut
      let added = try await store.add(habit, if: second.check(title))
      let warnings =
        schedule.rule.warnings(frame) + habit.schedules.flatMap { $0.warnings(of: habit, frame) }
        + (try await call.queueWarnings(store, before: before, changed: added.schedules))
        + (try await call.quietHoursWarnings(store, of: added.id))
      call.output.warn(warnings)
      let ids: JSON = [
        "habit": .text(added.id.description),
        "schedules": .array(added.schedules) { .text($0.description) },
      ]
      let next = try await store.nextFiringText(of: habit, added.schedules.first, call.output)
      try call.output.confirm(added.written, ids.merging(warnings: warnings)) {
        "Added \(habit.title): \(habit.schedules.first?.summary(call.output.time) ?? "no reminder")"
          + flags.datesText(of: habit, call.output.time) + next
      }
    }
  }
}
