import ArgumentParser
import Carillon
import CarillonDocuments
import CarillonModel

/// `carillon append`: appends domain events, one JSON object per line, all or none.
struct AppendCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "append", abstract: "Append domain events from NDJSON, all or none.",
    discussion: """
      Each line is one JSON object, in the form that protocol/EVENTS.md specifies. At most \
      1,000,000 events can be appended at once.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The file, or - for standard input.") var file = "-"

  /// The maximum number of events of one call, which bounds the memory of its transaction.
  private static let maxEvents = 1_000_000

  func run(_ call: Call) async throws {
    let lines = try InputFile(file)
    var payloads: [Payload] = []
    var numbers: [Int] = []
    try lines.forEachLine { number, bytes in
      guard payloads.count < Self.maxEvents else {
        throw CommandFailure.badData(
          "\(lines.name): more than the maximum of \(Self.maxEvents) events",
          hint: "append them in parts")
      }
      payloads.append(
        try lines.naming(number) { () throws(ModelError) in try Payload(json: bytes) })
      numbers.append(number)
    }
    try await call.withStore { [payloads] store in
      let written: Written
      do throws(StoreError) {
        written = try await store.append(payloads)
      } catch {
        guard let index = error.index else { throw error }
        throw CommandFailure.badData(
          "\(lines.name) line \(numbers[index]): \(error.message)",
          hint: "correct the line and run the command again; nothing was appended")
      }
      try call.output.answer(written.batchJSON, recorded: !written.events.isEmpty) {
        call.output.isQuiet ? "" : "Appended \(written.events.count.counted("event")).\n"
      }
    }
  }
}
