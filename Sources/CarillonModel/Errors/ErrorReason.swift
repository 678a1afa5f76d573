/// A finer reason than an error's code, with the values that the next step needs.
///
/// Every layer passes it on unchanged; whoever shows the error to a person says what to do.
package enum ErrorReason: Hashable, Sendable {
  // MARK: - The log

  /// The log can be read but not written, because this problem contradicts its contents; compacting
  /// repairs it.
  case needsCompacting(problem: String)
  /// Two processes that use the log have the same process ID, so it stays busy however often they
  /// try.
  case sharedProcessID
  /// This process gets no more memory or address space.
  case addressSpace
  /// A file or directory at this path, not created by Carillon, is in the way of the log's files.
  case foreignFile(path: String)
  /// A path, or a name in it, is longer than the system or SQLite can open.
  case longPath
  /// There is a store already, or another process is creating one.
  case existingStore
  /// A directory has the credential of a service that a store was to join, and no store.
  case unfinishedJoin
  /// The log is damaged so that it cannot be opened.
  case unreadableLog
  /// The log's files are no longer those that were opened.
  case replacedFiles

  // MARK: - Backups

  /// A file of a backup cannot be read, or is damaged.
  case backupFile
  /// The first event of a backup, of this time, is later than the time until which it is asked for.
  case laterBackup(first: Instant)
  /// An increment of a backup is damaged; the files before it can be restored until this time.
  case damagedIncrement(until: Instant)
  /// A store restored from a backup would take this number of bytes at least, and fewer are free.
  case noRoom(needed: Int64)

  // MARK: - SQLite

  /// Another process holds this database file, and the message does not name that process.
  case heldFile(path: String)

  // MARK: - The projections

  /// The projections are damaged; rebuilding repairs them.
  case damagedProjections

  // MARK: - The store

  /// The clock shows a date that no event may contain.
  case clockOutOfRange
  /// The habit does not exist.
  case noHabit
  /// The habit was erased permanently.
  case erasedHabit
  /// The source has no records.
  case noSource
  /// There is no notification with the ID; reminders are known for this number of days.
  case noNotification(days: Int)
  /// An entry with an amount of 0 is for habits with a maximum only.
  case nothingDone
  /// The notification is a request to open the app, which has no receipts.
  case openRequest
  /// The reminder has not fired yet, so it has no receipts.
  case notFired
  /// An event belongs to another store.
  case eventOfOtherStore(id: String)
  /// The histories of a replica exceed the limit of heads.
  case tooManyHeads
  /// The peer did not name its store.
  case unnamedStore
}
