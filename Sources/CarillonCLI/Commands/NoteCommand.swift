import ArgumentParser
import Carillon

/// `carillon note`: writes a note on a date of a habit.
struct NoteCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "note", abstract: "Write a note on a date of a habit, without marking it as done.",
    discussion: """
      Each date has at most one note: a new text replaces it, and an empty one ("") removes it. \
      Without --on, the date is today, in the time zone of the habit's schedules if all have the \
      same one. To see the notes of the last two weeks, run:
        carillon habit show HABIT
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument
  @Argument(help: ArgumentHelp("The note, at most 2,000 bytes of UTF-8.")) var text: String
  @OptionGroup var day: DayOption

  func run(_ call: Call) async throws {
    let date = try day.day()
    try await call.withStore { store in
      let found = try await habit.find(in: store)
      let warnings = day.warnings(of: found)
      call.output.warn(warnings)
      let text = text.isEmpty ? nil : text
      let written = try await store.setNote(text, of: found.id, on: date)
      let of = try await day.text(of: written, in: store, call.output.time)
      let ids: JSON = [
        "habit": .text(found.id.description), "date": .text(written.date?.description),
        "note": .text(text),
      ]
      try call.output.confirm(written, ids.merging(warnings: warnings)) {
        switch (text, written.events.contains { $0.kind == .noteRecorded }) {
        case (nil, true): "Note removed: \(found.title)\(of)."
        case (nil, false): "No note to remove: \(found.title)\(of)."
        case (_, true): "Noted: \(found.title)\(of)."
        case (_, false): "Already noted: \(found.title)\(of)."
        }
      }
    }
  }
}
