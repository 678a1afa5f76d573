internal import CarillonLog
internal import CarillonModel
internal import Foundation
internal import Logging
internal import Synchronization

/// A log that this process has open, shared by all of its handles.
final class SharedLog: Sendable {
  let environment: LogEnvironment
  let backend: LMDBBackend
  let writer: LogWriter
  let appends = Broadcast<LogPosition>()
  let key: FileKey
  let storeID: StoreID
  private let states = StateCache()
  /// The data file's stamp when it was last checked without an error.
  private let checked = Mutex<DataFile.Stamp?>(nil)

  private init(_ environment: LogEnvironment, options: LMDBLogOptions) throws {
    self.environment = environment
    key = try FileKey(of: environment.file.descriptor, "the data file")
    storeID = try environment.read { [states] in try Self.state(of: $0, states).storeID }
    backend = LMDBBackend(environment: environment, states: states, options: options)
    writer = LogWriter(
      backend, appends: appends, durability: options.durability,
      makeReplicaID: options.makeReplicaID)
  }

  /// Opens the log in a directory.
  ///
  /// A copied log gets a new identity.
  ///
  /// - Throws: `LogError`, and `LogEnvironment.OtherFile`.
  static func open(
    directory: String, expecting key: FileKey, options: LMDBLogOptions
  ) throws -> SharedLog {
    let environment = try LogEnvironment.open(
      directory: directory, expecting: key, options: options)
    do {
      let log = try SharedLog(environment, options: options)
      guard !environment.isReadOnly else { return log }
      let count = try environment.checkReaders()
      if count > 0 { options.logger.info("removed \(count) readers of ended processes") }
      try log.claimIdentity(directory: directory, options: options)
      return log
    } catch {
      environment.close()
      throw error
    }
  }

  /// Creates a log in an empty data file, for its holder only.
  static func create(
    directory: String, hold: LogHold, storeID: StoreID, replica: ReplicaID,
    options: LMDBLogOptions
  ) throws -> SharedLog {
    let marker = try IdentityMarker(at: LogFormat.marker(in: directory), creating: true)
    let environment = try LogEnvironment.create(
      directory: directory, hold: hold,
      meta: MetaTable.sealed([
        .format: LogFormat.version.bigEndianBytes, .store: storeID.bytes,
        .replica: replica.bytes, .marker: marker.bytes, .branch: LogState.ownBranchBytes(nil),
      ]),
      options: options)
    do {
      return try SharedLog(environment, options: options)
    } catch {
      environment.close()
      throw error
    }
  }

  /// Calls a body with the newest snapshot.
  func read<Result>(_ body: (LogSnapshot) throws -> Result) throws -> Result {
    try readPages { _, snapshot in try body(snapshot) }
  }

  /// Calls a body with the newest snapshot and its pages.
  func readPages<Result>(
    _ body: (PageSnapshot, LogSnapshot) throws -> Result
  ) throws -> Result {
    do {
      do {
        return try readOnce(body)
      } catch  where error.isMapResized {
        try writer.afterWaitingNow { try environment.adoptMapSize() }
        return try readOnce(body)
      }
    } catch let failure as StorageFailure {
      throw failure.logError
    }
  }

  /// Checks that the files are still in place.
  ///
  /// If the data file was written since the last check, also checks that its first pages and its
  /// small tables are those of this log.
  ///
  /// - Throws: `io` if a file was removed or replaced; `corrupt`; `busy`.
  /// - Complexity: O(1), or O(branches) if the data file was written.
  func checkFiles() throws {
    try environment.place.check()
    try environment.file.requireLength()
    let stamp = try environment.file.stamp
    guard checked.withLock({ $0 != stamp }) else { return }
    try environment.file.requireSoundPages()
    try readPages { pages, _ in
      // The cached state would hide a change.
      guard try LogState(LogTrees(pages)).storeID == storeID else {
        throw LogError.corrupt("the data file was overwritten by another store's log")
      }
    }
    checked.withLock { $0 = stamp }
  }

  // MARK: -

  /// Returns the state of a snapshot, which is read from the tables only after a commit of another
  /// process.
  static func state(of pages: PageSnapshot, _ states: StateCache) throws -> LogState {
    try states.state(after: pages.transaction) { try LogState(LogTrees(pages)) }
  }

  private func readOnce<Result>(
    _ body: (PageSnapshot, LogSnapshot) throws -> Result
  ) throws -> Result {
    try environment.read { pages in
      try body(pages, LogSnapshot(pages, state: Self.state(of: pages, states)))
    }
  }

  /// Claims the identity of a copied log.
  ///
  /// On a full disk, or with pages that must not be overwritten, the log is opened for reading
  /// anyway and claimed before its first write.
  private func claimIdentity(directory: String, options: LMDBLogOptions) throws {
    do {
      let marker = try IdentityMarker(at: LogFormat.marker(in: directory), creating: true)
      guard try read({ $0.state.marker }) != marker else { return }
      backend.claimIdentity(in: directory)
      try writer.writeNow(.claim)
      options.logger.notice("the store directory is a copy, so the log takes a new identity")
    } catch {
      let error = LogError.translating(error)
      guard let refusal = error as? LogError, refusal.code == .full || refusal.needsCompacting
      else { throw error }
      backend.claimIdentity(in: directory)
    }
  }
}
