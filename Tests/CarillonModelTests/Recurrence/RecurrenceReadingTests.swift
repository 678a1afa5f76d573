import Foundation
import Testing

@testable import CarillonModel

/// Compares the parser with `protocol/vectors/recurrence-readings.json`.
@Suite("Parsing of recurrences")
struct RecurrenceReadingTests {
  @Test("A text is parsed as in the vectors", arguments: try RecurrenceReading.all())
  func reading(_ reading: RecurrenceReading) throws {
    let recurrence = Recurrence(reading.text)
    #expect(recurrence?.description == reading.written)
    if let written = reading.written { #expect(Recurrence(written) == recurrence) }
  }
}

/// A text and its normalized form, or nil if the text is not a supported rule.
struct RecurrenceReading: Decodable, CustomTestStringConvertible {
  let note: String
  let text: String
  let written: String?

  var testDescription: String { note }

  static func all() throws -> [RecurrenceReading] {
    struct Document: Decodable { let readings: [RecurrenceReading] }
    let file = RecurrenceOracle.root.appending(path: "protocol/vectors/recurrence-readings.json")
    return try JSONDecoder().decode(Document.self, from: Data(contentsOf: file)).readings
  }
}
