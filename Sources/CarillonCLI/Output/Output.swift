import Carillon

/// Where a verb's answer goes and in which form: data to standard output, as text for people or as
/// JSON; everything else to standard error.
struct Output: Sendable {
  let isJSON: Bool
  let isQuiet: Bool
  let time: LocalTime
  /// The store, where the command line names it.
  var store: String?
  let terminal = Terminal.standardOutput

  /// How the command begins that is to be run next.
  var carillon: String { NextCommand.carillon(store: store) }

  /// Prints an answer: one JSON document, or text whose lines end with line breaks.
  ///
  /// - Parameter recorded: Whether something was recorded before; it then must not be told to run
  ///   it again where the answer cannot be written.
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
        message: "it is recorded; only the answer was lost: \(error.message)",
        hint: "do not run it again; see what was recorded: carillon log")
    }
  }

  /// Prints what a writing verb did: its events and ids as JSON, or one sentence.
  func confirm(_ written: Written, _ ids: JSON = [:], text: () -> String) throws {
    guard isJSON || !isQuiet else { return }
    try answer(ids.merging(written.json), recorded: !written.events.isEmpty) {
      text().printable + "\n"
    }
  }

  /// Says something beside the answer, to people.
  func note(_ text: String) {
    guard !isJSON, !isQuiet else { return }
    tell(text.printable + "\n")
  }

  /// Warns of something that was accepted all the same.
  func warn(_ text: String) {
    guard !isJSON else { return }
    tell("warning: \(text.printable)\n")
  }

  /// Where standard error is gone, nobody is there to be told: the answer and the exit code remain.
  private func tell(_ text: String) {
    _ = try? ByteOutput.standardError.write(text)
  }
}

extension Written {
  /// `{"events":[{position,sequence,id,type}]}`.
  var json: JSON {
    [
      "events": .array(events) { event in
        [
          "position": .integer(event.position.rawValue),
          "sequence": .integer(event.sequence.rawValue), "id": .text(event.id.description),
          "type": .text(event.kind.name),
        ]
      }
    ]
  }
}
