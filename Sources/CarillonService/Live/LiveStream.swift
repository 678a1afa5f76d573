#if Service
import CarillonModel

/// The documents of a store as server-sent events: all of them at the start, then each that has
/// news.
struct LiveStream: EventStreamContent {
  let documents: LiveDocuments
  /// What was last sent, by the name of the document.
  private var sent: [String: String] = [:]

  init(_ documents: LiveDocuments) {
    self.documents = documents
  }

  mutating func append(to writer: inout StreamWriter) async throws {
    let snapshot = try await documents.snapshot()
    for document in snapshot.documents where sent[document.name] != document.news {
      try await writer.append(
        "id: \(snapshot.position.rawValue)\nevent: \(document.name)\ndata: \(document.text)\n\n")
      sent[document.name] = document.news
    }
  }
}
#endif
