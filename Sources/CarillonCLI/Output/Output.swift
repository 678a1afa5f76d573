import Carillon
import CarillonDocuments
import CarillonModel

/// The output of a verb.
///
/// Data goes to standard output, as text for people or as JSON. Everything else goes to standard
/// error.
struct Output: Sendable {
  let isJSON: Bool
  let isQuiet: Bool
  let time: LocalTime
  /// The store, if the command line names it.
  var store: String?
  let terminal = Terminal.standardOutput

  /// The beginning of a suggested command.
  var carillon: String { NextCommand.carillon(store: store) }

  /// The terms of the command line, with its store.
  var terms: Terms { .commands(store: store) }

  /// Returns the line below a view that says why nothing is delivered on this device.
  func footer(_ blocked: Blocked) -> String { blocked.text(terms) + "\n" }

  /// Returns the line below a view that says why nothing is delivered on a device, or "".
  func footer(_ blocked: Blocked?, on device: Device) -> String {
    guard device.description?.role == .server else { return blocked.map(footer) ?? "" }
    let name = NextCommand.argument(device.name ?? "", or: device.replica)
    return "This replica is a server, which never reminds; if it is not: \(carillon) replicas role "
      + "\(name) ROLE\n"
  }

  /// Prints an answer: one JSON document, or text whose lines end with line breaks.
  ///
  /// - Parameter recorded: Whether something was recorded. The hint then warns against running the
  ///   command again if the answer cannot be written.
  func answer(
    _ json: @autoclosure () -> JSON, recorded: Bool = false, text: () throws -> String
  ) throws {
    let answer = try isJSON ? json().line : text()
    do throws(CommandFailure) {
      try ByteOutput.standardOutput.write(answer)
    } catch {
      guard recorded else { throw error }
      throw CommandFailure(
        status: error.status, code: "answerLost",
        message: "the change was recorded, but the answer was lost: \(error.message)",
        hint: "do not run the command again; see what was recorded: carillon log")
    }
  }

  /// Prints what a verb wrote: its events and IDs as JSON, or one sentence.
  func confirm(_ written: Written, _ ids: JSON = [:], text: () -> String) throws {
    guard isJSON || !isQuiet else { return }
    try answer(ids.merging(written.json), recorded: !written.events.isEmpty) {
      text().printable + "\n"
    }
  }

  /// Prints what a verb wrote for each of several things.
  ///
  /// - Parameter records: One JSON object each; a single one is the answer itself.
  func confirmAll(_ records: [JSON], recorded: Bool, lines: () -> [String]) throws {
    guard isJSON || !isQuiet else { return }
    let json: JSON = records.count == 1 ? records[0] : ["records": .array(records) { $0 }]
    try answer(json, recorded: recorded) {
      lines().map { $0.printable + "\n" }.joined()
    }
  }

  /// Prints a notice for people, in addition to the answer.
  func note(_ text: String) {
    guard !isJSON, !isQuiet else { return }
    prompt(text)
  }

  /// Prints what a person must read to go on, in every case.
  func prompt(_ text: String) {
    tell(text.printable + "\n")
  }

  /// Prints a warning about something that was accepted.
  func warn(_ text: String) {
    guard !isJSON else { return }
    tell("warning: \(text.printable)\n")
  }

  /// Writes to standard error; if it is gone, only the answer and the exit code remain.
  private func tell(_ text: String) {
    _ = try? ByteOutput.standardError.write(text)
  }
}
