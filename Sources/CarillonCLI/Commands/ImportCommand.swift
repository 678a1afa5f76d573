import ArgumentParser
import Carillon
import Foundation

/// `carillon import`: whole events, as an export lists them, or another app's habits.
struct ImportCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Add what another replica exported, or the habits of another app.",
    discussion: """
      events: NDJSON, as export writes it. loop: a backup of Loop Habit Tracker. loop-csv: the \
      folder of Loop's CSV export. habitbull: HabitBull's CSV. ics: the events and to-dos of a \
      calendar, each with its alarms. Importing a file twice adds nothing.

      Events are of one store. To bring them into a new directory, make it a replica of theirs: \
      carillon init --store DIR --replica NAME --store-id ID. That device's description is one \
      event more; digests are equal once both have synced.
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case events, loop, habitbull, ics
    case loopCSV = "loop-csv"

    /// Whose data it is; nil for our own events.
    var foreign: ImportFormat? { ImportFormat(rawValue: rawValue) }
  }

  @OptionGroup var global: GlobalOptions
  @Argument(
    help: "A file; of events also - for standard input; of loop-csv the folder.")
  var file: String
  @Option(help: "The form: events, loop, loop-csv, habitbull or ics.") var format = Format.events

  func run(_ call: Call) async throws {
    if let foreign = format.foreign {
      try await ForeignImport(file: file, format: foreign).run(call)
    } else {
      try await EventsImport(file: file).run(call)
    }
  }
}
