#if Service
public import Carillon
import CarillonDocuments
public import ServiceLifecycle
import Synchronization

/// The open stores of a service for many people: opened when they are needed, closed when they are
/// not.
///
/// ```swift
/// let pool = StorePool<String> { person in
///   try await Store.open(at: people.appending(path: person))
/// }
/// StoreRoutes { _, context in try await pool.store(of: context.person) }.add(to: router)
/// // As a service, the pool closes idle stores, and all of them at the end.
/// let app = Application(router: router, services: [pool])
/// ```
///
/// Callers that need the same store at once share one opening and one ``Store``. A store is in use
/// as long as anything holds it, such as the answer to a request; it is never closed then. An error
/// of one store concerns only the callers of that store, and the next call tries again.
///
/// An open store takes 6 file descriptors, no thread, and about 0.7 MB of memory.
public actor StorePool<Key: Hashable & Sendable>: Service {
  /// A store that is open, or about to be.
  private final class Place {
    var opening: Task<Store, any Error>?
    /// Nil until the store is open.
    var store: Store?
    var lastUse = ContinuousClock.now

    /// Whether nothing but the place holds the store.
    var isIdle: Bool { store != nil && isKnownUniquelyReferenced(&store) }
  }

  private let maxCount: Int
  private let idle: Duration
  private let open: @Sendable (Key) async throws -> Store
  private var places: [Key: Place] = [:]
  /// The stores that are being closed; one is opened again only after that.
  private var closing: [Key: Task<Void, Never>] = [:]
  private var isStopped = false

  /// The time for which a caller waits for a place if all stores are in use.
  private static var patience: Duration { .seconds(10) }

  /// Creates a pool without open stores.
  ///
  /// - Parameters:
  ///   - maxCount: The maximum number of open stores.
  ///   - idle: The time after its last use after which a store is closed.
  ///   - open: Opens the store of a key, or creates it. Each key must have a directory of its own.
  public init(
    maxCount: Int = 200, idle: Duration = .seconds(60),
    open: @escaping @Sendable (Key) async throws -> Store
  ) {
    precondition(maxCount > 0, "a pool needs at least one place")
    (self.maxCount, self.idle, self.open) = (maxCount, idle, open)
    Heap.keepLargeBlocksApart()
  }

  /// The number of stores that are open, being opened or being closed.
  package var count: Int { places.count + closing.count }

  /// Returns the store of a key, and opens it if necessary.
  ///
  /// Hold the store only as long as you use it. If the maximum number of stores is open, the one
  /// that was not used for the longest time is closed first.
  ///
  /// - Throws: The error of opening; `busy` if all stores remain in use for 10 seconds; `closed`
  ///   after the pool was stopped.
  public func store(of key: Key) async throws -> Store {
    let deadline = ContinuousClock.now + Self.patience
    while true {
      guard !isStopped else {
        throw StoreError(code: .closed, message: "the pool of stores was stopped")
      }
      if let place = places[key] { return try await store(in: place) }
      if let closing = closing[key] {
        await closing.value
      } else if count < maxCount {
        return try await store(in: addPlace(for: key))
      } else if let oldest = idleKeys().first {
        await close(oldest)
      } else if let closing = closing.values.first {
        await closing.value
      } else {
        guard ContinuousClock.now < deadline else {
          throw StoreError(
            code: .busy, message: "all \(maxCount.counted("store")) of the pool are in use",
            hint: "try again, or give the pool more places")
        }
        try await Task.sleep(for: .milliseconds(20))
      }
    }
  }

  /// Closes idle stores until the service stops, then all stores.
  ///
  /// Each store finishes its pending writes first.
  public func run() async throws {
    let every = max(.milliseconds(10), idle / 4)
    do {
      try await cancelWhenGracefulShutdown {
        while true {
          try await Task.sleep(for: every)
          await self.closeIdle()
        }
      }
    } catch is CancellationError {
      await closeAll()
    }
  }

  // MARK: - Opening

  private func addPlace(for key: Key) -> Place {
    let place = Place()
    places[key] = place
    place.opening = Task { [open] in try await open(key) }
    return place
  }

  private func store(in place: Place) async throws -> Store {
    place.lastUse = .now
    if let store = place.store { return store }
    guard let opening = place.opening else { preconditionFailure("a place without a store") }
    do {
      let store = try await opening.value
      // The task would keep the store in use.
      if place.opening != nil { (place.store, place.opening) = (store, nil) }
      place.lastUse = .now
      return store
    } catch {
      if let key = places.first(where: { $0.value === place })?.key { places[key] = nil }
      throw error
    }
  }

  // MARK: - Closing

  /// The keys of the stores that nobody uses, the one that was used least recently first.
  private func idleKeys() -> [Key] {
    places.filter { $0.value.isIdle }.sorted { $0.value.lastUse < $1.value.lastUse }.map(\.key)
  }

  private func closeIdle() async {
    let before = ContinuousClock.now - idle
    for key in idleKeys() {
      guard let place = places[key], place.lastUse < before, place.isIdle else { continue }
      await close(key)
    }
  }

  private func close(_ key: Key) async {
    guard let store = places.removeValue(forKey: key)?.store else { return }
    let task = Task { await store.close() }
    closing[key] = task
    await task.value
    closing[key] = nil
  }

  /// Closes all stores; none can be opened afterwards.
  package func closeAll() async {
    isStopped = true
    for (key, place) in places {
      // An opening that fails leaves nothing to close.
      _ = await place.opening?.result
      await close(key)
    }
    for task in closing.values { await task.value }
  }
}
#endif
