public import CarillonModel
import CarillonWire
import Foundation
import Logging

/// An event as it stands in one log; one whose content does not hash to its ID as its ID alone.
public struct LoggedEvent: Hashable, Sendable {
  /// Its place in the log.
  public let position: Position
  /// The event itself.
  public let event: Event
  /// What it says; nil where its bytes were erased, are missing, cannot be read, or break a limit.
  public let payload: Payload?

  init(_ raw: RawEvent) {
    position = raw.position
    event = raw.event
    payload = raw.redacted == nil ? try? PayloadCoding.decode(raw.payload) : nil
  }

  /// The kind's name; `erased` where the payload was, `missing` where only the ID is known, or
  /// the content is damaged, `unreadable` where it cannot be read.
  public var typeName: String {
    if event.redacted != nil { return "erased" }
    return event.isMissing ? "missing" : payload?.typeName ?? "unreadable"
  }
}

extension Store {
  /// The events after a position: first those that are there, then each new one as it comes.
  ///
  /// New ones come from this process, another one or a sync, without gap or repeat. It ends when
  /// the store is closed or the task is cancelled. Where somebody removes, replaces or damages the
  /// store's files it throws as ``checkFiles()``, within a second.
  public func events(
    after position: Position = .start
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

  /// Calls `body` for the events after a position up to the log's end of now, in order of arrival.
  ///
  /// The log is read in batches, and not held while `body` runs: a slow reader keeps no page from
  /// being used again.
  ///
  /// - Complexity: O(events); memory is flat.
  public func forEachEvent(
    after position: Position = .start, _ body: (LoggedEvent) throws -> Bool
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

  /// The position of the last event.
  public func lastPosition() throws -> Position {
    try translatingLogErrors { try log.lastPosition() }
  }

  /// The event with an ID, or nil.
  public func event(_ id: EventID) throws -> LoggedEvent? {
    guard let position = try translatingLogErrors({ try log.position(of: id) }) else { return nil }
    return try event(at: position)
  }

  /// The event at a position, or nil.
  public func event(at position: Position) throws -> LoggedEvent? {
    guard position > .start else { return nil }
    var found: LoggedEvent?
    try translatingLogErrors {
      try log.scanIntact(after: Position(rawValue: position.rawValue - 1)) { raw in
        found = LoggedEvent(raw)
        return false
      }
    }
    return found
  }

  /// Checks that the store's log is where it was when it was opened, and that its file was neither
  /// cut nor written over by others.
  ///
  /// Whoever follows a store whose directory was renamed, removed or put back from a copy would
  /// otherwise wait for ever. A store that was closed passes.
  ///
  /// - Throws: `io`, naming the file, `corrupt`, `busy`.
  /// - Complexity: O(1) while nothing is written.
  public func checkFiles() throws {
    try translatingLogErrors { try storedLog?.checkFiles() }
  }

  /// Reads on from `last` to the log's end, and moves `last` there.
  private func eachBatch(after last: inout Position, _ body: (LoggedEvent) -> Void) throws {
    var end = last
    try forEachEvent(after: last) { logged in
      body(logged)
      end = logged.position
      return !Task.isCancelled
    }
    last = end
  }

  /// Ticks at once and whenever the log may have grown: at once for this process' appends, within
  /// a quarter of a second for another's.
  ///
  /// It ends when the store is closed or the task is cancelled, and where ``checkFiles()`` throws.
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
    var seen: Position?
    while !Task.isCancelled {
      do {
        do {
          try storedLog?.checkFiles()
        } catch let error as LogError where error.code != .busy {
          // Whoever follows looks at the files again, and reports what is wrong with them.
          return
        }
        let last = try log.lastPosition()
        if last != seen { continuation.yield() }
        seen = last
        try await Task.sleep(for: .milliseconds(250))
      } catch let error as LogError where error.code != .closed {
        logger.warning("cannot see whether the log grew: \(error); looking again")
        do { try await Task.sleep(for: .seconds(1)) } catch { return }
      } catch {
        // Closed or cancelled: nothing comes any more.
        return
      }
    }
  }
}
