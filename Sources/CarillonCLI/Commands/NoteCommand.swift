import ArgumentParser
import Carillon
import CarillonDocuments

/// `carillon note`: writes a note on a date of a habit.
struct NoteCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "note", abstract: "Write a note on a date of a habit, without marking it as done.",
    discussion: """
      Each date has at most one note: a new text replaces it, and an empty one ("") removes it. \
      The words of a text need no quotes, but a shell may expand * and ?. \
      Without --on, the date is today, in the time zone of the habit's schedules if all have the \
      same one. To see the notes of the last two weeks, run:
        carillon habit show HABIT
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument
  @OptionGroup var date: DateFlag
  @Argument(help: ArgumentHelp("The note, at most 2,000 bytes of UTF-8.")) var text: [String]

  func run(_ call: Call) async throws {
    let text = text.joined(separator: " ")
    let note = text.isEmpty ? nil : text
    let names = [habit.habit]
    try await date.record(names, call, ids: ["note": .text(note)]) { store, habit, date in
      let written = try await store.setNote(note, of: habit.id, on: date)
      let replaced = try await replaced(by: written, in: store)
      let answer =
        switch (note, written.kinds.contains(.noteRecorded)) {
        case (nil, true): "Note removed"
        case (nil, false): "No note to remove"
        case (_, true): replaced == nil ? "Noted" : "Note replaced"
        case (_, false): "Already noted"
        }
      return DatedRecord(
        written: written, text: "\(answer): \(habit.title)",
        addition: replaced.map { " It was: \($0.printable.truncated(to: 60))" } ?? "")
    }
  }

  /// Returns the note in whose place the written one is, or nil if there was none.
  private func replaced(by written: Written, in store: Store) async throws -> String? {
    for item in written.events {
      guard case .noteRecorded(let note)? = try await store.event(item.id)?.payload else {
        continue
      }
      for id in note.replaces {
        guard case .noteRecorded(let earlier)? = try await store.event(id)?.payload else {
          continue
        }
        return earlier.text
      }
    }
    return nil
  }
}
