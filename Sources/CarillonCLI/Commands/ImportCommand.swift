import ArgumentParser
import Carillon
import CarillonImport
import Foundation

/// `carillon import`: imports exported events, or the habits of another app.
struct ImportCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import events that another replica exported, or the habits of another app.",
    discussion: """
      The formats are:
        events     NDJSON, as the export command writes it
        loop       a backup of Loop Habit Tracker (.db)
        loop-csv   the folder of Loop's CSV export
        habitbull  HabitBull's CSV
        ics        the events and to-dos of a calendar, each with its alarms

      Importing a file again adds nothing.

      Events can only be imported into a replica of the store that they come from. To import them \
      into a new directory, create it as such a replica first:
        carillon init --store DIR --replica NAME --store-id ID
      The new replica adds one event that describes its device, so the state digests are equal \
      only after both replicas have synced.
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case events, loop, habitbull, ics
    case loopCSV = "loop-csv"

    /// The other app's format; nil for Carillon's own events.
    var foreign: ImportFormat? { ImportFormat(rawValue: rawValue) }
  }

  @OptionGroup var global: GlobalOptions
  @Argument(
    help: "The file, or - for standard input with --format events; the folder for loop-csv.")
  var file: String
  @Option(help: "The format: events, loop, loop-csv, habitbull or ics.") var format = Format.events

  func run(_ call: Call) async throws {
    if let foreign = format.foreign {
      try await ForeignImport(file: file, format: foreign).run(call)
    } else {
      try await EventsImport(file: file).run(call)
    }
  }
}
