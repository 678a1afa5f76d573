#if Service
import Carillon
import Hummingbird
import Synchronization

extension StoreRouter {
  /// Adds `GET /v1/live`: the documents of the store, now and whenever they change.
  func addLive() {
    let stores = LiveStores()
    on(.get, "live") { [limits = routes.limits, streams = routes.streams] asked in
      try EventStream(
        content: LiveStream(stores.documents(of: asked.store)), source: asked.store,
        heartbeat: limits.heartbeat, stream: try streams.open(for: asked.credential)
      ).response(to: asked.request)
    }
  }
}

/// The documents of the stores that have live streams.
private final class LiveStores: Sendable {
  private struct Entry {
    weak var documents: LiveDocuments?
  }

  private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

  /// Returns the documents of a store, which its streams share and keep.
  func documents(of store: Store) -> LiveDocuments {
    entries.withLock { entries in
      // A store that was released may have left its identity to another.
      entries = entries.filter { $0.value.documents != nil }
      if let held = entries[ObjectIdentifier(store)]?.documents { return held }
      let documents = LiveDocuments(store)
      entries[ObjectIdentifier(store)] = Entry(documents: documents)
      return documents
    }
  }
}
#endif
