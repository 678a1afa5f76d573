#if Service
import Carillon
import CarillonDocuments
import CarillonModel

/// Where the log of a store is, as a document and as a stream that reports when it grows.
///
/// An initiator that follows the stream knows when to sync, without the events.
struct SyncNews: EventStreamContent {
  let store: Store
  let heartbeat: Duration
  private var last: LogPosition?

  init(_ store: Store, heartbeat: Duration) {
    (self.store, self.heartbeat) = (store, heartbeat)
  }

  /// Returns the document for the current position.
  func document(at position: LogPosition) -> JSON {
    Self.document(of: store.id, at: position, heartbeat: heartbeat)
  }

  /// Returns the document of any log.
  static func document(
    of store: StoreID, at position: LogPosition, heartbeat: Duration
  ) -> JSON {
    [
      "store": .text(store), "position": .integer(position.rawValue),
      "heartbeatSeconds": .integer(heartbeat.components.seconds),
    ]
  }

  mutating func append(to writer: inout StreamWriter) async throws {
    let position = try store.lastPosition()
    guard position != last else { return }
    last = position
    try await writer.append("data: \(document(at: position))\n\n")
  }
}
#endif
