#if Service
import Carillon
import CarillonDocuments

/// The documents of a store as server-sent events: all of them at the start, then each that has
/// news.
///
/// While a rebuild runs, its progress comes in between, and at its end that none runs.
struct LiveStream: EventStreamContent {
  let documents: LiveDocuments
  let source: LiveSource
  /// What was last sent, by the name of the document.
  private var sent: [String: String] = [:]
  private var sentProgress: RebuildProgress?

  init(_ documents: LiveDocuments, _ source: LiveSource) {
    (self.documents, self.source) = (documents, source)
  }

  mutating func append(to writer: inout StreamWriter) async throws {
    try await appendProgress(to: &writer)
    let snapshot = try await documents.snapshot()
    for document in snapshot.documents where sent[document.name] != document.news {
      try await writer.append(
        "id: \(snapshot.position.rawValue)\nevent: \(document.name)\ndata: \(document.text)\n\n")
      sent[document.name] = document.news
    }
  }

  private mutating func appendProgress(to writer: inout StreamWriter) async throws {
    let progress = source.rebuilds.progress(of: source.store)
    guard progress != sentProgress else { return }
    let json = progress?.json ?? ["done": .null, "total": .null]
    try await writer.append("event: rebuild\ndata: \(json)\n\n")
    sentProgress = progress
  }
}
#endif
