#if Service
import Carillon
import CarillonDocuments
import CarillonImport
import CarillonModel
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension StoreRouter {
  /// Adds the route that exports the store, streamed as it is read.
  func addExport() {
    on(.get, "export", query: ["format", "table"]) { [downloads = routes.downloads] asked in
      let format = try asked.choice("format", ExportFormat.self) ?? .events
      let table = try asked.choice("table", ExportTable.self)
      guard format == .csv || table == nil else {
        throw Problem.invalidValue("table: belongs to the format csv, not to \(format.rawValue)")
      }
      let (store, time) = (asked.store, asked.time)
      let download = try downloads.open(for: asked.credential)
      switch format {
      case .events: return asked.export(.events, download) { try await EventLines.write(store, $0) }
      case .csv:
        switch table ?? .entries {
        case .habits:
          return asked.export(.csv, download) { try await HabitTable(time: time).write(store, $0) }
        case .entries:
          return asked.export(.csv, download) { try await EntryTable(time: time).write(store, $0) }
        case .receipts:
          return asked.export(.csv, download) {
            try await ReceiptTable(time: time).write(store, $0)
          }
        }
      case .ics:
        let calendar = try await store.exportCalendar()
        return asked.export(.ics, download) { try await $0(calendar.text) }
      case .loop: return try await asked.exportLoop()
      }
    }
  }
}

private enum ExportFormat: String, CaseIterable {
  case events, csv, ics, loop

  var contentType: String {
    switch self {
    case .events: "application/x-ndjson"
    case .csv: "text/csv; charset=utf-8"
    case .ics: "text/calendar; charset=utf-8"
    case .loop: "application/vnd.sqlite3"
    }
  }

  var fileName: String {
    switch self {
    case .events: "events.ndjson"
    case .csv: "carillon.csv"
    case .ics: "habits.ics"
    case .loop: "loop.db"
    }
  }

  var headers: HTTPFields {
    [
      .contentType: contentType, .cacheControl: "no-store",
      .contentDisposition: "attachment; filename=\"\(fileName)\"",
    ]
  }
}

private enum ExportTable: String, CaseIterable {
  case habits, entries, receipts
}

extension StoreRequest {
  /// Returns a response with the text that a body writes in pieces.
  ///
  /// - Parameter download: Released at the end.
  fileprivate func export(
    _ format: ExportFormat, _ download: OpenStreams.Stream,
    _ write: @Sendable @escaping ((String) async throws -> Void) async throws -> Void
  ) -> Response {
    Response(
      status: .ok, headers: format.headers,
      body: ResponseBody { writer in
        var out = StreamWriter(writer)
        try await write { try await out.append($0) }
        try await out.finish()
        withExtendedLifetime(download) {}
      })
  }

  /// Returns a response with a backup of Loop, which is a database.
  fileprivate func exportLoop() async throws -> Response {
    let bytes = try await ScratchFile.with { file in
      _ = try await store.exportLoop(to: file)
      return try Data(contentsOf: file)
    }
    return Response(
      status: .ok, headers: ExportFormat.loop.headers,
      body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  /// Returns a parameter of the query that is one of some names; nil if it is absent.
  func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ type: Choice.Type
  ) throws -> Choice? {
    try parameter(name).map { text in
      guard let choice = Choice(rawValue: text) else {
        let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        throw Problem.invalid(name, text, "one of \(names)")
      }
      return choice
    }
  }
}
#endif
