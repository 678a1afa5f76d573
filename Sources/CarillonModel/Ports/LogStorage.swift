package import Foundation

/// A kind of storage that keeps an event log in the files of a store directory.
///
/// A directory holds the log of one storage. All errors are `LogError`.
package protocol LogStorage: Sendable {
  /// What `--storage` takes and the status reports, such as `sqlite`.
  var name: String { get }

  /// Whether a name in a store directory is that of a file or directory of this storage, also of a
  /// log that is unfinished or damaged.
  func owns(_ fileName: String) -> Bool

  /// Makes a log that nobody else sees until it is published.
  ///
  /// The store directory is made where it is missing. What a killed process left of a log that it
  /// made is replaced.
  ///
  /// - Throws: `alreadyExists` where there is a log, another process makes one, or a foreign file
  ///   is in the way; `readOnly`, `full`, `io`. Nothing is left behind then.
  func make(
    at directory: URL, storeID: StoreID, replica: ReplicaID, options: LogOptions
  ) throws -> any LogMaking

  /// Opens the log of a store directory.
  ///
  /// Where the directory is a copy of another, the log takes a new `ReplicaID`, with the old one as
  /// predecessor. Where it cannot be written, it can be read.
  ///
  /// - Throws: `notFound`, `unsupportedFormat`, `corrupt`, `readOnly`, `full`, `busy`, `io`.
  func open(at directory: URL, options: LogOptions) throws -> any StoredLog

  /// Rewrites the files of a log that nobody has open: what was erased is then nowhere in them, and
  /// no space in them is free. Events, positions and identity stay.
  ///
  /// Killed at any moment, it leaves the old files or the new ones.
  ///
  /// - Throws: As ``open(at:options:)``; `busy` where the log is open, `alreadyExists` where a
  ///   foreign file is in the way.
  /// - Complexity: O(bytes). Memory is flat; the disk holds both files for a while.
  func compact(at directory: URL, options: LogOptions) throws

  /// Gives a log that nobody has open another store's ID, in one transaction; idempotent.
  ///
  /// Events keep their IDs, which do not depend on the store's. The generation of the projection
  /// moves on, so that the tables, which name the store, are made again at the next open.
  ///
  /// - Returns: False where the log had this ID already.
  /// - Throws: As ``open(at:options:)``; `busy` where the log is open.
  func takeStoreID(_ storeID: StoreID, at directory: URL, options: LogOptions) throws -> Bool
}

/// A log in files.
package protocol StoredLog: EventLog {
  /// Reads the whole log, and checks every event's ID and all that is kept beside the events.
  ///
  /// - Parameter maxProblemCount: After how many problems to stop. Of events whose content is
  ///   missing as many are listed besides.
  /// - Returns: What is wrong, then the events whose content is missing; empty where nothing is.
  /// - Throws: `closed`, `busy`, `io`, and `corrupt` where the log cannot be read at all.
  /// - Complexity: O(bytes). Memory is flat.
  func verify(maxProblemCount: Int) throws -> [LogProblem]

  /// Checks that the log's files are where they were when it was opened, and that nobody else cut
  /// them or wrote over them; a closed log passes.
  ///
  /// - Throws: `io`, naming the file, `corrupt`, `busy`.
  /// - Complexity: O(1) while nothing is written.
  func checkFiles() throws

  /// Closes as `close()` does, and holds the caller's thread for that long.
  func closeNow()
}

extension StoredLog {
  /// Verifies the log, and stops after 100 problems.
  package func verify() throws -> [LogProblem] {
    try verify(maxProblemCount: 100)
  }
}

/// A log that is being made.
package protocol LogMaking: Sendable {
  /// The log, open; only its maker sees it.
  var log: any StoredLog { get }

  /// Lets the log appear: from then on, it is there for all.
  ///
  /// - Throws: `LogError`: `full`, `io`; then ``discard()`` must follow.
  func publish() throws

  /// Closes the log and removes what was made, as long as it was not published.
  ///
  /// What cannot be removed does no harm: the next one who makes a log here makes it anew.
  func discard()
}
