#if Service
import Carillon
import Hummingbird
import Synchronization

/// `GET /v1/live`: the documents of the store, now and whenever they change.
struct LiveRoutes<Context: RequestContext> {
  let routes: StoreRoutes<Context>
  private let stores = LiveStores()

  init(routes: StoreRoutes<Context>) {
    self.routes = routes
  }

  func add(to group: some RouterMethods<Context>) {
    group.get("live") { [stores] request, context in
      try RequestQuery(request).finish()
      let store = try await routes.source(request, context)
      return EventStream(
        content: LiveStream(stores.documents(of: store)), store: store,
        heartbeat: routes.limits.heartbeat, stream: try routes.streams.open()
      ).response(to: request)
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
