#if Service
import Carillon
import CarillonDocuments
import CarillonImport
import CarillonModel
import CarillonThreads
import HTTPTypes
import Hummingbird
import Metrics

extension StoreRouter {
  /// Adds the route that imports exported events, or the habits of another app.
  func addImport() {
    on(.post, "import", query: ["format"]) {
      [limits = routes.limits, metrics = routes.metrics] asked in
      guard let format = try asked.choice("format", ImportedFormat.self) else {
        let names = ImportedFormat.allCases.map(\.rawValue).joined(separator: ", ")
        throw Problem.malformed("format is missing", hint: "give one of \(names)")
      }
      return try await asked.withBody(atMost: limits.bodyBytes) { content in
        guard let foreign = format.foreign else {
          let events = try await withTaskExecutorPreference(BlockingExecutor.shared) {
            try await asked.importEvents(content, metrics)
          }
          metrics.duplicate.increment(by: events.seenCount)
          return Answer(events.json, eventCount: events.addedCount)
        }
        return try await asked.importFile(content, foreign)
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
  /// Imports the file of another app.
  fileprivate func importFile(_ content: [UInt8], _ format: ImportFormat) async throws -> Answer {
    try await ScratchFile.with(content) { file in
      do throws(StoreError) {
        return Answer(try await store.importHabits(from: file, format: format).json(format))
      } catch {
        // The file is wrong, not the service.
        guard [.unsupportedFormat, .corrupt].contains(error.code) else { throw error }
        throw Problem(
          .unprocessableContent, code: error.code.rawValue, detail: error.message,
          hint: error.hint)
      }
    }
  }

  /// Imports complete events, one per line.
  fileprivate func importEvents(
    _ content: [UInt8], _ metrics: ServiceMetrics
  ) async throws -> EventLinesImport {
    var lines = ByteLines(content)
    var events = EventLinesImport()
    do {
      try await events.add(to: store) {
        lines.next().map { ($0.number, Array($0.bytes)) }
      }
      return events
    } catch let error as EventLinesImport.LineError {
      metrics.refusedEvents.increment(by: ByteLines(content).count - events.readCount)
      throw Problem.invalidValue(
        "line \(error.line): \(error.cause.message)",
        hint: "correct the line; \(events.addedCount) events of the batches before it were imported"
      )
    }
  }
}
#endif
