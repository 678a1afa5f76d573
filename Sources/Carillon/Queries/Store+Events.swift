public import CarillonModel
import CarillonWire
import Foundation
import Logging

/// An event as stored in one log.
///
/// If its content does not hash to its ID, only the ID is given.
public struct LoggedEvent: Hashable, Sendable {
  /// The event's position in the log.
  public let position: LogPosition
  /// The event itself.
  public let event: StoredEvent
  /// The decoded payload; nil if its bytes were erased, are missing, cannot be read, or exceed a
  /// limit.
  public let payload: Payload?

  init(_ raw: RawEvent) {
    position = raw.position
    event = raw.event
    payload = raw.redacted == nil ? try? PayloadCoding.decode(raw.payload) : nil
  }

  /// The name of the event's kind; `erased` if its payload was erased, `missing` if only its ID is
  /// known or its content is damaged, `unreadable` if its payload cannot be decoded.
  public var typeName: String {
    if event.redacted != nil { return "erased" }
    return event.isMissing ? "missing" : payload?.typeName ?? "unreadable"
  }
}

extension Store {
  /// Returns the events after a position: first those already in the log, then each new one as it
  /// arrives.
  ///
  /// New events come from this process, another process or a sync. The stream has no gaps and no
  /// repeats. It ends when the store is closed or the task is cancelled. If the store's files are
  /// removed, replaced or damaged, it throws the error of ``checkFiles()`` within a second.
  public func events(
    after position: LogPosition = .start
  ) -> AsyncThrowingStream<LoggedEvent, any Error> {
    AsyncThrowingStream { continuation in
      let task = Task {
        var last = position
        do {
          for await _ in self.changes() {
            try self.eachBatch(after: &last) { continuation.yield($0) }
          }
          try self.checkFiles()
          continuation.finish()
        } catch {
          continuation.finish(throwing: StoreError(translating: error))
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Calls `body` with each event after a position, up to the log's current end, in order of
  /// arrival.
  ///
  /// Stops when `body` returns false.
  ///
  /// The log is read in batches and is not locked while `body` runs, so that a slow `body` does not
  /// prevent pages from being reused.
  ///
  /// - Complexity: O(events); uses constant memory.
  public func forEachEvent(
    after position: LogPosition = .start, _ body: (LoggedEvent) throws -> Bool
  ) throws {
    let end = try lastPosition()
    var last = position
    while last < end {
      var batch: [LoggedEvent] = []
      try translatingLogErrors {
        try log.scanIntact(after: last) { raw in
          batch.append(LoggedEvent(raw))
          return batch.count < Self.batchCount && raw.position < end
        }
      }
      guard let newest = batch.last else { return }
      for logged in batch where try !body(logged) { return }
      last = newest.position
    }
  }

  private static let batchCount = 500

  /// Returns the position of the last event.
  public func lastPosition() throws -> LogPosition {
    try translatingLogErrors { try log.lastPosition() }
  }

  /// Returns the event with an ID, or nil if the log does not hold it.
  public func event(_ id: EventID) throws -> LoggedEvent? {
    guard let position = try translatingLogErrors({ try log.position(of: id) }) else { return nil }
    return try event(at: position)
  }

  /// Returns the event at a position, or nil if there is none.
  public func event(at position: LogPosition) throws -> LoggedEvent? {
    guard position > .start else { return nil }
    var found: LoggedEvent?
    try translatingLogErrors {
      try log.scanIntact(after: LogPosition(rawValue: position.rawValue - 1)) { raw in
        found = LoggedEvent(raw)
        return false
      }
    }
    return found
  }

  /// Checks that the store's log is still at its path, and that no other program truncated or
  /// overwrote its file.
  ///
  /// Without this check, a process that follows a store whose directory was renamed, removed or
  /// restored from a copy would wait forever. A closed store passes the check.
  ///
  /// - Throws: `io`, naming the file; `corrupt`; `busy`.
  /// - Complexity: O(1) while nothing is written.
  public func checkFiles() throws {
    try translatingLogErrors { try storedLog?.checkFiles() }
  }

  /// Reads from `last` to the log's end, and sets `last` to the position reached.
  private func eachBatch(after last: inout LogPosition, _ body: (LoggedEvent) -> Void) throws {
    var end = last
    try forEachEvent(after: last) { logged in
      body(logged)
      end = logged.position
      return !Task.isCancelled
    }
    last = end
  }

  /// Returns a stream that yields immediately, and whenever the log may have grown: immediately
  /// after this process appends, within a quarter of a second after another process does.
  ///
  /// The stream ends when the store is closed, when the task is cancelled, or when ``checkFiles()``
  /// throws.
  public func changes() -> AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      continuation.yield()
      let task = Task {
        await withTaskGroup(of: Void.self) { group in
          group.addTask {
            for await _ in self.log.appends() { continuation.yield() }
          }
          group.addTask { await self.pollOtherProcesses(continuation) }
          _ = await group.next()
          group.cancelAll()
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  private func pollOtherProcesses(_ continuation: AsyncStream<Void>.Continuation) async {
    var seen: LogPosition?
    while !Task.isCancelled {
      do {
        do {
          try storedLog?.checkFiles()
        } catch let error as LogError where error.code != .busy {
          // The follower of the stream checks the files again and reports what is wrong.
          return
        }
        let last = try log.lastPosition()
        if last != seen { continuation.yield() }
        seen = last
        try await Task.sleep(for: .milliseconds(250))
      } catch let error as LogError where error.code != .closed {
        logger.warning("cannot check whether the log grew: \(error); trying again")
        do { try await Task.sleep(for: .seconds(1)) } catch { return }
      } catch {
        // Closed or cancelled: there are no further events.
        return
      }
    }
  }
}
