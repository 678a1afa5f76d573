import ArgumentParser
import Carillon

/// `carillon explain`: shows why each occurrence of a date is planned, or is not.
struct ExplainCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Show why each of a habit's reminders on a date will fire, or will not.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument
  @OptionGroup var day: DayOption

  func run(_ call: Call) async throws {
    let day = try day.day()
    try await call.withStore { store in
      let found = try await habit.find(in: store)
      let occurrences = try await store.explain(found.id, on: day)
      let time = call.output.time
      try call.output.answer([
        "occurrences": .array(occurrences) { occurrence in
          [
            "schedule": .text(occurrence.schedule.description),
            "nominal": .text(occurrence.nominal.description),
            "due": .text(occurrence.due.description), "reason": .text(occurrence.reason.rawValue),
            "id": .text(occurrence.id), "fireAt": .text(occurrence.fireAt.map(time.rfc3339)),
          ]
        }
      ]) {
        guard !occurrences.isEmpty else {
          return "\(found.title.printable) has no occurrence on this date.\n"
        }
        var table = Table([
          .init(title: "nominal"), .init(title: "fires"), .init(title: "reason"),
          .init(title: "id"),
        ])
        for occurrence in occurrences {
          table.add([
            .init(occurrence.nominal.description),
            .init(occurrence.fireAt.map(time.text) ?? "at a place"),
            .init(occurrence.reason.rawValue, .bold), .init(occurrence.id, .dim),
          ])
        }
        return table.rendered(on: call.output.terminal)
      }
    }
  }
}
