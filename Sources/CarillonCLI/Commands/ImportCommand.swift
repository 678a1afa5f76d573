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
        events     NDJSON, as the export command writes it; also standard input and pipes
        loop       a backup of Loop Habit Tracker (.db)
        loop-csv   the folder of Loop's CSV export
        habitbull  HabitBull's CSV
        ics        the events and to-dos of a calendar, each with its alarms; the events of one
                   exported habit become one habit

      The format is recognized by the file's first bytes; --format forces one. Importing a file \
      again adds nothing. The other apps record dates without times of day, so entries from them \
      have none.

      Examples:
        carillon import loop-backup.db
        carillon import --format events events.ndjson

      Events can only be imported into a replica of the store that they come from. To import them \
      into a new directory, create it as such a replica first:
        carillon init --store DIR --replica NAME --store-id ID
      The new replica adds one event that describes its device, so the state digests are equal \
      only after both replicas have synced.
      """)

  /// Carillon's own events, or another app's data.
  enum Format: ExpressibleByArgument {
    case events
    case foreign(ImportFormat)

    init?(argument: String) {
      if argument == "events" {
        self = .events
      } else {
        guard let format = ImportFormat(rawValue: argument) else { return nil }
        self = .foreign(format)
      }
    }

    var defaultValueDescription: String {
      switch self {
      case .events: "events"
      case .foreign(let format): format.rawValue
      }
    }

    static var allValueStrings: [String] { ["events"] + ImportFormat.allCases.map(\.rawValue) }
  }

  @OptionGroup var global: GlobalOptions
  @Argument(
    help: "The file, or - for events from standard input; the folder for loop-csv.")
  var file: String
  @Option(help: "The format of the file (default: the one that is recognized).")
  var format: Format?

  func run(_ call: Call) async throws {
    switch try format ?? recognizedFormat() {
    case .events: try await EventsImport(file: file).run(call)
    case .foreign(let format): try await ForeignImport(file: file, format: format).run(call)
    }
  }

  /// Returns the format that the file's first bytes show.
  ///
  /// - Throws: `badData` if there is none that `import` reads.
  private func recognizedFormat() throws -> Format {
    let recognized = try ImportFileFormat(file)
    guard let format = recognized.format else {
      throw CommandFailure.badData(
        "\(file) cannot be imported: it is \(recognized.name)", hint: recognized.hint)
    }
    return format
  }
}
