public import CarillonModel

extension Store {
  /// Returns the events after a position: first those already in the log, then each new one as it
  /// arrives.
  ///
  /// New events come from this process, another process or a sync. The sequence has no gaps and no
  /// repeats. It ends when the store is closed or the task is cancelled. If the store's files are
  /// removed, replaced or damaged, it throws an error within a second.
  ///
  /// The log is read as events are pulled, so memory stays flat however slow the consumer is.
  public func events(after position: LogPosition = .start) -> Events {
    Events(store: self, start: position, follows: true)
  }

  /// Returns the events after a position that are in the log when the iteration begins, in order of
  /// arrival.
  ///
  /// The log is read as events are pulled, and is not locked in between: a slow consumer uses
  /// constant memory and does not prevent pages from being reused.
  ///
  /// - Complexity: O(events).
  public func history(after position: LogPosition = .start) -> Events {
    Events(store: self, start: position, follows: false)
  }

  /// The events of a store after a position, in order of arrival.
  ///
  /// Iterating throws the errors of the log.
  public struct Events: AsyncSequence, Sendable {
    /// One event.
    public typealias Element = LoggedEvent
    /// An error of the log.
    public typealias Failure = StoreError

    let store: Store
    let start: LogPosition
    /// Whether the sequence waits for new events.
    let follows: Bool

    /// Begins at the position after which the sequence starts.
    public func makeAsyncIterator() -> Iterator {
      Iterator(store: store, last: start, follows: follows)
    }

    /// Reads a batch of events each time it has passed on all of the batch before.
    public struct Iterator: AsyncIteratorProtocol {
      /// Released at the end.
      private var store: Store?
      /// The position of the last event read.
      private var last: LogPosition
      private let follows: Bool
      /// The last position of the history; nil before the first call.
      private var end: LogPosition?
      /// The events read but not passed on, the next one last.
      private var batch: [LoggedEvent] = []
      /// The changes of the log; nil until all of the history is read.
      private var changes: AsyncStream<Void>.Iterator?

      fileprivate init(store: Store, last: LogPosition, follows: Bool) {
        self.store = store
        self.last = last
        self.follows = follows
      }

      /// Returns the next event, or nil at the end.
      ///
      /// - Throws: The errors of the log.
      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws(StoreError) -> LoggedEvent? {
        do throws(StoreError) {
          if let store, let event = try await pull(from: store, isolation: actor) { return event }
        } catch {
          (store, changes) = (nil, nil)
          if follows, error.code == .closed { return nil }
          throw error
        }
        (store, changes) = (nil, nil)
        return nil
      }

      private mutating func pull(
        from store: Store, isolation actor: isolated (any Actor)?
      ) async throws(StoreError) -> LoggedEvent? {
        while !Task.isCancelled {
          if let event = batch.popLast() { return event }
          if !follows, end == nil { end = try store.lastPosition() }
          batch = try await store.batch(after: last, through: end)
          if let newest = batch.first {
            last = newest.position
          } else {
            guard follows else { return nil }
            if changes == nil { changes = store.changes().makeAsyncIterator() }
            guard await changes?.next(isolation: actor) != nil else {
              if !Task.isCancelled { try store.checkFiles() }
              return nil
            }
          }
        }
        return nil
      }
    }
  }
}

extension Store {
  private static let batchCount = 500
  private static let batchBytes = 262_144

  /// Reads the next events after a position, off the caller's actor; the last one first.
  ///
  /// - Parameter end: The last position to read; nil for that of the log.
  private func batch(
    after position: LogPosition, through end: LogPosition?
  ) async throws(StoreError) -> [LoggedEvent] {
    if let end, end <= position { return [] }
    var batch: [LoggedEvent] = []
    var byteCount = 0
    try StoreError.translating {
      let ring = try openingKeys()
      try keptLog.scanIntact(after: position) { raw in
        batch.append(LoggedEvent(raw, opening: ring))
        byteCount += raw.payload.count
        return batch.count < Self.batchCount && byteCount < Self.batchBytes && raw.position != end
      }
    }
    return batch.reversed()
  }

  /// Returns the position of the last event.
  public func lastPosition() throws(StoreError) -> LogPosition {
    try StoreError.translating { try log.lastPosition() }
  }

  /// Returns the event with an ID, or nil if the log does not hold it.
  public func event(_ id: EventID) async throws(StoreError) -> LoggedEvent? {
    try StoreError.translating {
      try self.log.position(of: id).flatMap { try self.loggedEvent(at: $0) }
    }
  }

  /// Returns the event at a position, or nil if there is none.
  package func event(at position: LogPosition) async throws -> LoggedEvent? {
    try StoreError.translating { try self.loggedEvent(at: position) }
  }

  /// Checks that the store's log is still at its path, and that no other program truncated or
  /// overwrote its file.
  ///
  /// Without this check, a process that follows a store whose directory was renamed, removed or
  /// restored from a copy would wait forever. A closed store passes the check.
  ///
  /// - Throws: `io`, naming the file; `corrupt`; `busy`.
  /// - Complexity: O(1) while nothing is written.
  package func checkFiles() throws(StoreError) {
    try StoreError.translating { try storedLog?.checkFiles() }
  }

  /// Returns the event at a position, or nil if there is none.
  func loggedEvent(at position: LogPosition) throws -> LoggedEvent? {
    guard position > .start else { return nil }
    let ring = try openingKeys()
    var found: LoggedEvent?
    try keptLog.scanIntact(after: LogPosition(rawValue: position.rawValue - 1)) { raw in
      found = LoggedEvent(raw, opening: ring)
      return false
    }
    return found
  }
}
