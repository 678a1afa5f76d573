import ArgumentParser
import Carillon

/// `carillon done`: a habit was done on a date.
struct DoneCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "done", abstract: "Record that a habit was done.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument
  @OptionGroup var day: DayOption

  @Option(help: ArgumentHelp("How much; 1 by default.", valueName: "n"))
  var amount: Given<Amount>?

  func run(_ call: Call) async throws {
    let date = try day.day()
    let of = try day.text(call.output.time)
    let amount = try amount.value(for: "--amount")?.thousandths
    try await call.withStore { store in
      let found = try await habit.find(in: store)
      var warnings = day.warnings(of: found)
      if case .date(let future) = date, future > (try await store.today()) {
        warnings.append("\(call.output.time.text(future)) is in the future")
      }
      call.output.warn(warnings)
      let written = try await store.markDone(found.id, on: date, amount: amount)
      let ids: JSON = ["habit": .text(found.id.description)]
      try call.output.confirm(written, ids.merging(warnings: warnings)) {
        written.events.contains { $0.type == "entry.recorded" }
          ? "Done: \(found.title)\(amount.map { " +\($0.decimal)" } ?? "")\(of)."
          : "\(found.title)\(of) was done already."
      }
    }
  }
}
