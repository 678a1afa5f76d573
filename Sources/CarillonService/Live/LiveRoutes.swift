#if Service
import Carillon
import Hummingbird
import Synchronization

extension StoreRouter {
  /// Adds `GET /v1/live`: the documents of the store, now and whenever they change, and how far a
  /// rebuild is.
  func addLive() {
    let stores = LiveStores()
    on(.get, "live") { [routes] asked in
      let source = LiveSource(store: asked.store, rebuilds: routes.rebuilds)
      return try EventStream(
        content: LiveStream(stores.documents(of: asked.store), source), source: source,
        heartbeat: routes.limits.heartbeat, stream: try routes.streams.open(for: asked.credential)
      ).response(to: asked.request)
    }
  }
}

/// What a live stream follows: a store, and its rebuilds.
struct LiveSource: EventStreamSource {
  let store: Store
  let rebuilds: Rebuilds

  func follow(_ body: @escaping @Sendable () -> Void) async {
    await withTaskGroup { group in
      group.addTask { for await _ in rebuilds.changes(of: store) { body() } }
      await store.follow(body)
      group.cancelAll()
    }
  }

  func checkFiles() throws { try store.checkFiles() }
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
