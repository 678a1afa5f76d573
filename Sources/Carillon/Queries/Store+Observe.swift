import CarillonModel
import CarillonSQLite

extension Store {
  /// Runs queries on one snapshot, which contains everything written before the call.
  ///
  /// ```swift
  /// let (habits, days) = try await store.query { reader in
  ///   (try reader.habits(), try reader.adherenceToday())
  /// }
  /// ```
  ///
  /// - Parameter queries: Runs on another thread. It may run again if the projections had to be
  ///   repaired, and must not write to the store.
  /// - Throws: The errors of the queries. An error of another type becomes the cause of an `io`.
  public func query<Value: Sendable>(
    _ queries: @escaping @Sendable (StoreReader) throws -> Value
  ) async throws(StoreError) -> Value {
    try await read { context in
      do {
        return try queries(StoreReader(store: self, context: context))
      } catch let error as StoreError {
        // Damaged projections are repaired where the snapshot was taken.
        throw error.cause as? ProjectionError ?? error
      }
    }
  }

  /// Returns the value of queries: now, and after each change that gives another value.
  ///
  /// Changes come from this process, another process or a sync. A slow consumer receives only the
  /// newest value. Time alone changes nothing: a query that depends on today's date or on the plan
  /// has a new value at the next change of the log.
  ///
  /// ```swift
  /// for try await habits in store.observe({ try $0.habits() }) { show(habits) }
  /// ```
  ///
  /// The sequence ends when the store is closed or the task is cancelled. An error of a query ends
  /// the iteration; begin another one to continue. If the store's files are removed, replaced or
  /// damaged, it throws an error that names the damage.
  ///
  /// - Parameter queries: As for ``query(_:)``.
  public func observe<Value: Equatable & Sendable>(
    _ queries: @escaping @Sendable (StoreReader) throws -> Value
  ) -> Observation<Value> {
    Observation(store: self, queries: queries)
  }

  /// The values of queries on a store, as they change.
  public struct Observation<Value: Equatable & Sendable>: AsyncSequence, Sendable {
    /// The value of the queries.
    public typealias Element = Value
    /// An error of the queries or the log.
    public typealias Failure = StoreError

    let store: Store
    let queries: @Sendable (StoreReader) throws -> Value

    /// Begins with the value of now.
    public func makeAsyncIterator() -> Iterator {
      Iterator(store: store, queries: queries)
    }

    /// Runs the queries when a value is asked for and the log has changed.
    public struct Iterator: AsyncIteratorProtocol {
      /// Released at the end.
      private var store: Store?
      private let queries: @Sendable (StoreReader) throws -> Value
      private var changes: AsyncStream<Void>.Iterator
      private var last: Value?

      fileprivate init(
        store: Store, queries: @escaping @Sendable (StoreReader) throws -> Value
      ) {
        self.store = store
        self.queries = queries
        changes = store.changes().makeAsyncIterator()
      }

      /// Waits for the next value, or returns nil at the end.
      ///
      /// - Throws: The errors of the queries.
      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws(StoreError) -> Value? {
        guard let store else { return nil }
        do throws(StoreError) {
          while await changes.next(isolation: actor) != nil {
            let value = try await store.query(queries)
            if value != last {
              last = value
              return value
            }
          }
          self.store = nil
          if !Task.isCancelled { try store.checkFiles() }
          return nil
        } catch {
          self.store = nil
          // The store was closed, or the task cancelled, while the queries ran.
          if error.code == .closed || Task.isCancelled { return nil }
          throw error
        }
      }
    }
  }
}
