import Carillon

/// Where a verb's answer goes and in which form: data to standard output, as text for people or as
/// JSON; everything else to standard error.
struct Output: Sendable {
  let isJSON: Bool
  let isQuiet: Bool
  let time: LocalTime
  let terminal = Terminal.standardOutput

  /// Prints an answer: one JSON document, or text whose lines end with line breaks.
  func answer(_ json: @autoclosure () -> JSON, text: () throws -> String) throws {
    try ByteOutput.standardOutput.write(isJSON ? json().line : text())
  }

  /// Prints what a writing verb did: its events and ids as JSON, or one sentence.
  func confirm(_ written: Written, _ ids: JSON = [:], text: () -> String) throws {
    guard isJSON || !isQuiet else { return }
    try answer(ids.merging(written.json)) { text().printable + "\n" }
  }

  /// Says something beside the answer, to people.
  func note(_ text: String) throws {
    guard !isJSON, !isQuiet else { return }
    try ByteOutput.standardError.write(text.printable + "\n")
  }

  /// Warns of something that was accepted all the same.
  func warn(_ text: String) throws {
    guard !isJSON else { return }
    try ByteOutput.standardError.write("warning: \(text.printable)\n")
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
          "type": .text(event.type),
        ]
      }
    ]
  }
}
