package import CarillonModel
package import Foundation

/// A log on LMDB that is being made.
///
/// It lies under a name where nobody looks for it, and takes its own name when it is complete; so
/// there is a store or there is none, at every moment. Of several that make one in the same place,
/// one holds the data file's lock, and the others are refused. What was left by one that was killed
/// is made anew.
package struct LMDBLogMaking: LogMaking {
  package let lmdb: LMDBEventLog
  package var log: any StoredLog { lmdb }
  private let store: String
  /// The directories that were not there before, the outer ones first.
  private let madeDirectories: [String]

  /// Begins a log in a store directory, which is made where it is missing.
  ///
  /// - Throws: `LogError`: `alreadyExists` where there is a log, somebody else is making one, or a
  ///   foreign file is in the way; `readOnly`, `full`, `io`. Nothing is left behind then.
  package init(
    at directory: URL, storeID: StoreID, replica: ReplicaID,
    options: LMDBLogOptions = LMDBLogOptions()
  ) throws {
    store = directory.path
    let path = LMDBEventLog.path(LogFormat.newDirectoryName, in: directory)
    let final = LMDBEventLog.path(LogFormat.directoryName, in: directory)
    var made: [String] = []
    do {
      // Again below, when nobody else can make one.
      try Self.requireNothing(at: final, in: directory.path)
      let hold = try Self.hold(path, &made)
      lmdb = try withExtendedLifetime(hold) {
        do {
          try Self.requireNothing(at: final, in: directory.path)
          for name in Self.fileNames.dropLast() { try OwnFile.remove(path + "/" + name) }
          guard ftruncate(hold.descriptor, 0) == 0 else {
            throw StorageFailure(code: errno, action: "Cannot empty \(hold.path)")
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
      Self.removeEmpty(made)
      throw LogError.wrapping(error)
    }
    madeDirectories = made
  }

  package func publish() throws {
    try LMDBEventLog.wrapping {
      let environment = lmdb.log.environment
      try LMDBEventLog.syncDirectory(environment.place.directory)
      try environment.place.move(to: store + "/" + LogFormat.directoryName)
      for made in madeDirectories {
        try LMDBEventLog.syncDirectory(Self.parent(of: made))
      }
      try LMDBEventLog.syncDirectory(store)
      try environment.share()
    }
  }

  package func discard() {
    Self.removeFiles(in: lmdb.log.environment.place.directory)
    lmdb.closeNow()
    Self.removeEmpty(madeDirectories)
  }

  // MARK: -

  /// The data file last: its lock keeps others from the rest.
  private static let fileNames = [
    LogFormat.lockFileName, LogFormat.markerFileName, LogFormat.compactedFileName,
    LogFormat.dataFileName,
  ]

  /// Makes the directories and the data file, for this one alone.
  private static func hold(_ path: String, _ made: inout [String]) throws -> LogHold {
    let file = path + "/" + LogFormat.dataFileName
    while true {
      try requireOwn(path)
      made += try makeDirectories(path)
      do {
        return try LogHold.take(file, .exclusive, within: .zero, creates: true)
      } catch let failure as StorageFailure where failure.code == ENOENT {
        // Who made the directory has just given it its name, or given up.
        continue
      } catch let error as LogError where error.code == .busy {
        throw LogError(
          code: .alreadyExists,
          message: "\(LockHolder.text(of: .use, on: file)) is making a store at "
            + "\(parent(of: path)) just now.")
      }
    }
  }

  private static func requireNothing(at final: String, in store: String) throws(LogError) {
    var status = stat()
    guard lstat(final, &status) == 0 else { return }
    // An empty directory is replaced.
    let names = try? FileManager.default.contentsOfDirectory(atPath: final)
    guard names?.isEmpty != true else { return }
    guard isDirectory(final), names?.contains(LogFormat.dataFileName) != false else {
      throw OwnFile.foreign(final)
    }
    throw LogError(
      code: .alreadyExists, message: "There is a store at \(store) already. Open it instead.")
  }

  /// Checks that a directory in which a log was begun holds nothing else, or is not there.
  ///
  /// - Throws: `alreadyExists`.
  private static func requireOwn(_ path: String) throws(LogError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw OwnFile.foreign(path) }
    // One that cannot be read cannot be written either.
    for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
      guard fileNames.contains(name) else { throw OwnFile.foreign(path + "/" + name) }
      try OwnFile.require(at: path + "/" + name)
    }
  }

  /// Makes a directory for the owner only, and those above it that are missing.
  ///
  /// - Returns: Those that were made, the outer ones first.
  private static func makeDirectories(_ path: String, attempts: Int = 100) throws -> [String] {
    if mkdir(path, 0o700) == 0 { return [path] }
    let above = parent(of: path)
    switch errno {
    case EEXIST where isDirectory(path): return []
    // Somebody else who gives up removes what they made above, and another makes it again. One that
    // is there and takes nothing was removed itself, or is of the system.
    case ENOENT where above != path && attempts > 0:
      let made = isDirectory(above) ? [] : try makeDirectories(above)
      return try made + makeDirectories(path, attempts: attempts - 1)
    case EACCES, EPERM, EROFS, ENOSPC, EDQUOT:
      throw StorageFailure(code: errno, action: "Cannot make the directory \(path)")
    default:
      throw LogError(
        code: .io,
        message: "Cannot make the directory \(path): \(String(cString: strerror(errno))).")
    }
  }

  private static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private static func removeFiles(in directory: String) {
    for name in fileNames { unlink(directory + "/" + name) }
    rmdir(directory)
  }

  /// Others may have put something into them.
  private static func removeEmpty(_ directories: [String]) {
    for directory in directories.reversed() { rmdir(directory) }
  }

  private static func parent(of path: String) -> String {
    let parent = URL(filePath: path).deletingLastPathComponent().path
    return parent.isEmpty ? "." : parent
  }
}
