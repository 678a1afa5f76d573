internal import CarillonLog
package import CarillonModel
package import Foundation

/// A log on LMDB that is being created.
///
/// The log is built under a name that no process opens, and is renamed when it is complete. At
/// every moment there is either a complete store or none. Of several processes that create a store
/// in the same place, one holds the data file's lock and the others are refused. The remains of a
/// killed process are replaced.
package struct LMDBLogMaking: LogCreation {
  package let lmdb: LMDBEventLog
  package var log: any StoredLog { lmdb }
  private let store: String
  private let madeDirectories: MadeDirectories

  /// Starts a log in a store directory, which is created if it is missing.
  ///
  /// - Throws: `LogError`: `alreadyExists` if there is a log, another process is creating one, or a
  ///   foreign file is in the way; `readOnly`, `full`, `io`. Nothing is left behind in these cases.
  package init(
    at directory: URL, storeID: StoreID, replica: ReplicaID,
    options: LMDBLogOptions = LMDBLogOptions()
  ) throws {
    store = directory.path
    let path = LMDBEventLog.path(LogFormat.newDirectoryName, in: directory)
    let final = LMDBEventLog.path(LogFormat.directoryName, in: directory)
    var made = MadeDirectories()
    do {
      // Checked again below, when no other process can create a log.
      try Self.requireNothing(at: final, in: directory.path)
      let hold = try Self.hold(path, &made)
      lmdb = try withExtendedLifetime(hold) {
        do {
          try Self.requireNothing(at: final, in: directory.path)
          for name in Self.fileNames.dropLast() { try OwnFile.remove(path + "/" + name) }
          guard ftruncate(hold.descriptor, 0) == 0 else {
            throw StorageFailure(code: errno, action: "cannot empty \(hold.path)")
          }
          let shared = try SharedLog.create(
            directory: path, hold: hold, storeID: storeID, replica: replica, options: options)
          return LMDBEventLog(LogRegistry.shared.add(shared))
        } catch {
          Self.removeFiles(in: path)
          throw error
        }
      }
    } catch {
      made.remove()
      throw LogError.translating(error)
    }
    madeDirectories = made
  }

  package func publish() throws {
    try LMDBEventLog.wrapping {
      let environment = lmdb.log.environment
      try environment.sync()
      try MadeDirectories.sync(environment.place.directory)
      try environment.place.move(to: store + "/" + LogFormat.directoryName)
      try madeDirectories.sync()
      try MadeDirectories.sync(store)
      try environment.share()
    }
  }

  package func discard() {
    Self.removeFiles(in: lmdb.log.environment.place.directory)
    lmdb.closeBlocking()
    madeDirectories.remove()
  }

  // MARK: -

  /// The data file is last, because its lock keeps other processes from the other files.
  private static let fileNames = [
    LogFormat.lockFileName, LogFormat.markerFileName, LogFormat.compactedFileName,
    LogFormat.dataFileName,
  ]

  /// Creates the directories and the data file, and holds the file exclusively.
  private static func hold(_ path: String, _ made: inout MadeDirectories) throws -> LogHold {
    let file = path + "/" + LogFormat.dataFileName
    while true {
      try requireOwn(path)
      try made.make(path)
      do {
        return try LogHold.take(file, .exclusive, within: .zero, creates: true)
      } catch let failure as StorageFailure where failure.code == ENOENT {
        // The process that created the directory has just renamed or removed it.
        continue
      } catch let error as LogError where error.code == .busy {
        throw LogError(
          code: .alreadyExists,
          message: "\(LockHolder.text(ofByte: FileLock.use.rawValue, on: file)) is creating "
            + "a store at \(MadeDirectories.parent(of: path))",
          reason: .existingStore)
      }
    }
  }

  private static func requireNothing(at final: String, in store: String) throws(LogError) {
    var status = stat()
    guard lstat(final, &status) == 0 else { return }
    // An empty directory is replaced.
    let names = try? FileManager.default.contentsOfDirectory(atPath: final)
    guard names?.isEmpty != true else { return }
    guard MadeDirectories.isDirectory(final), names?.contains(LogFormat.dataFileName) != false
    else {
      throw OwnFile.foreign(final)
    }
    throw LogError(
      code: .alreadyExists, message: "a store already exists at \(store)",
      reason: .existingStore, hint: "open it, or choose another directory")
  }

  /// Checks that the directory of an unfinished log contains only files of a log, or does not
  /// exist.
  ///
  /// - Throws: `alreadyExists`.
  private static func requireOwn(_ path: String) throws(LogError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw OwnFile.foreign(path) }
    // A directory that cannot be read cannot be written either.
    for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
      guard fileNames.contains(name) else { throw OwnFile.foreign(path + "/" + name) }
      try OwnFile.require(at: path + "/" + name)
    }
  }

  private static func removeFiles(in directory: String) {
    for name in fileNames { unlink(directory + "/" + name) }
    rmdir(directory)
  }
}
