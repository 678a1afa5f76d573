package import Foundation

/// A kind of storage that keeps an event log in the files of a store directory.
///
/// A directory holds a log of one storage only. All errors are `LogError`.
package protocol LogStorage: Sendable {
  /// The name that a store's status reports, such as `sqlite`.
  var name: String { get }

  /// The number of bytes that an event takes in the log's files in addition to its payload, at
  /// least.
  var leastByteCountBesidePayload: Int { get }

  /// Whether a name in a store directory belongs to a file or directory of this storage. That
  /// includes the files of an unfinished or damaged log.
  func owns(_ fileName: String) -> Bool

  /// Whether a name in a store directory belongs to an unfinished log: one that is being created,
  /// or that a killed process left.
  func ownsUnfinished(_ fileName: String) -> Bool

  /// Creates a log that no other process can open until it is published.
  ///
  /// The store directory is created if it is missing. If a killed process left an unfinished log,
  /// that log is replaced.
  ///
  /// - Throws: `alreadyExists` if there is a log, if another process is creating one, or if a
  ///   foreign file is in the way; `readOnly`, `full`, `io`. Nothing is left behind if an error is
  ///   thrown.
  func make(
    at directory: URL, storeID: StoreID, replica: ReplicaID, options: LogOptions
  ) throws -> any LogCreation

  /// Opens the log of a store directory.
  ///
  /// If the directory is a copy of another, the log takes a new `ReplicaID`, with the old one as
  /// predecessor. If the directory cannot be written, the log can still be read.
  ///
  /// - Throws: `notFound`, `unsupportedFormat`, `corrupt`, `readOnly`, `full`, `busy`, `io`.
  func open(at directory: URL, options: LogOptions) throws -> any StoredLog

  /// Rewrites the files of a log that no process has open. Afterwards they contain no erased data
  /// and no free space. Events, positions and identity do not change.
  ///
  /// If the process is killed at any moment, either the old files or the new ones remain.
  ///
  /// - Throws: The errors of ``open(at:options:)``; `busy` if the log is open, `alreadyExists` if a
  ///   foreign file is in the way.
  /// - Complexity: O(bytes). Memory is flat; the disk temporarily holds both copies of the files.
  func compact(at directory: URL, options: LogOptions) throws

  /// Sets the store ID of a log that no process has open, in one transaction. Idempotent.
  ///
  /// Events keep their IDs, which do not depend on the store ID. The projection generation is
  /// increased, so the projections, which contain the store ID, are rebuilt at the next open.
  ///
  /// - Returns: False if the log already had this ID.
  /// - Throws: The errors of ``open(at:options:)``; `busy` if the log is open.
  func setStoreID(_ storeID: StoreID, at directory: URL, options: LogOptions) throws -> Bool
}

/// A log in files.
package protocol StoredLog: EventLog {
  /// Reads the whole log, and checks the ID of every event and all data stored next to the events.
  ///
  /// The two halves of the log are read at the same time, on two threads.
  ///
  /// - Parameters:
  ///   - maxProblemCount: The number of problems after which to stop. Up to the same number of
  ///     events with missing content is listed in addition.
  ///   - progress: Called from time to time, on both threads, with the number of events checked
  ///     since the last call; returns false to stop.
  /// - Returns: The problems, then the events with missing content; empty if there are none.
  /// - Throws: `closed`, `busy`, `io`; `corrupt` if the log cannot be read at all;
  ///   `CancellationError` if `progress` returned false.
  /// - Complexity: O(bytes). Memory is flat.
  func verify(
    maxProblemCount: Int, progress: @escaping @Sendable (_ count: UInt64) -> Bool
  ) throws -> [LogProblem]

  /// Writes the data next to the events again that follows from the events alone. Events never
  /// change.
  ///
  /// - Throws: `corrupt` if the events do not form complete branches; nothing is written then. The
  ///   errors of `record`.
  /// - Complexity: O(events).
  func rebuildIndex() async throws

  /// Checks that the log's files are where they were when the log was opened, and that no other
  /// program truncated or overwrote them. A closed log passes.
  ///
  /// - Throws: `io`, naming the file; `corrupt`, `busy`.
  /// - Complexity: O(1) while nothing is written.
  func checkFiles() throws

  /// Closes the log like `close()`, but blocks the calling thread until it is closed.
  func closeBlocking()
}

extension StoredLog {
  /// Verifies the log, and stops after a number of problems.
  package func verify(maxProblemCount: Int = 100) throws -> [LogProblem] {
    try verify(maxProblemCount: maxProblemCount) { _ in true }
  }
}

/// A new log that is not yet published.
package protocol LogCreation: Sendable {
  /// The log, open; no other process can open it yet.
  var log: any StoredLog { get }

  /// Publishes the log, so that every process can open it.
  ///
  /// - Throws: `LogError`: `full`, `io`. The caller must call ``discard()`` then.
  func publish() throws

  /// Closes the log, and removes its files if it was not published.
  ///
  /// Files that cannot be removed do no harm: the next attempt to create a log here replaces them.
  func discard()
}
