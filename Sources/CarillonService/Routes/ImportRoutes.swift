#if Service
import Carillon
import CarillonDocuments
import CarillonImport
import CarillonModel
import HTTPTypes
import Hummingbird

extension StoreRouter {
  /// Adds the route that imports exported events, or the habits of another app.
  func addImport() {
    on(.post, "import", query: ["format"]) { [limits = routes.limits] asked in
      guard let format = try asked.choice("format", ImportedFormat.self) else {
        let names = ImportedFormat.allCases.map(\.rawValue).joined(separator: ", ")
        throw Problem.malformed("format is missing", hint: "give one of \(names)")
      }
      let content = try await asked.request.bytes(atMost: limits.bodyBytes)
      guard let foreign = format.foreign else {
        return Answer(try await asked.importEvents(content))
      }
      let file = try ScratchFile(content)
      do throws(StoreError) {
        let report = try await asked.store.importHabits(from: file.url, format: foreign)
        return Answer(report.json(foreign))
      } catch {
        // The file is wrong, not the service.
        guard [.unsupportedFormat, .corrupt].contains(error.code) else { throw error }
        throw Problem(
          .unprocessableContent, code: error.code.rawValue, detail: error.message,
          hint: error.hint)
      }
    }
  }
}

/// The formats of a single file; the CSV export of Loop is a folder.
private enum ImportedFormat: String, CaseIterable {
  case events, loop, habitbull, ics

  var foreign: ImportFormat? {
    switch self {
    case .events: nil
    case .loop: .loop
    case .habitbull: .habitBull
    case .ics: .ics
    }
  }
}

extension StoreRequest {
  /// The number of events in one transaction.
  private static let batchCount = 4_000

  /// Imports complete events, one per line.
  fileprivate func importEvents(_ content: [UInt8]) async throws -> JSON {
    var events: [StoredEvent] = []
    for (index, line) in content.split(separator: UInt8(ascii: "\n")).enumerated() {
      do throws(ModelError) {
        events.append(try StoredEvent(json: Array(line), of: store.id))
      } catch {
        throw Problem.invalidValue(
          "line \(index + 1): \(error.message)", hint: "correct the line; nothing was imported")
      }
    }
    var continuation = ImportContinuation()
    var (added, waiting) = (0, [StoredEvent]())
    for start in stride(from: 0, to: events.count, by: Self.batchCount) {
      let batch = events[start..<min(start + Self.batchCount, events.count)]
      do {
        let result = try await store.add(waiting + batch, &continuation)
        (added, waiting) = (added + result.added, result.awaitingSuccessor)
      } catch let error as StoreError {
        guard let index = error.index else { throw error }
        throw Problem.invalidValue(
          "line \(start + index - waiting.count + 1): \(error.message)",
          hint: "\(added) events before it were imported; importing them again adds nothing")
      }
    }
    return [
      "format": .text("events"), "read": .integer(events.count), "imported": .integer(added),
      "seen": .integer(events.count - added - waiting.count),
      "leftOut": .integer(continuation.leftOutCount),
    ]
  }
}
#endif
