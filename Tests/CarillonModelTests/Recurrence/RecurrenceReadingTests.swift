import Foundation
import Testing

@testable import CarillonModel

/// Holds the reader against `protocol/vectors/recurrence-readings.json`.
@Suite("Readings of recurrences")
struct RecurrenceReadingTests {
  @Test("A text is read as the vectors have it", arguments: try RecurrenceReading.all())
  func reading(_ reading: RecurrenceReading) throws {
    let recurrence = Recurrence(reading.text)
    #expect(recurrence?.description == reading.written)
    if let written = reading.written { #expect(Recurrence(written) == recurrence) }
  }
}

/// A text, and the form in which it is written again; nil where it is no rule that is known.
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
