internal import Foundation
internal import GRDBSQLite

/// A VFS for SQLite that reports two failures that the system's VFS hides, and uses the system's
/// VFS for everything else.
///
/// - A lock that the system refuses is an error. The system's VFS reports it as held by another
///   process, and SQLite would wait for it.
/// - A disk without space for the index of a write-ahead log is full. SQLite maps the index, and
///   the system would kill the process if it accessed a mapped page without space on disk.
package enum SystemFiles {
  /// The name of the VFS in SQLite.
  package static let name = "carillon-system"

  /// SQLite's code for a file that could not be locked: `SQLITE_IOERR_LOCK`.
  package static let refusedLock = SQLITE_IOERR | 15 << 8

  /// What ``refusedLock`` means, at the end of a message.
  package static let refusedLockReason =
    "the file system does not support locks, which a store needs"

  /// Registers the VFS at the first use, for the lifetime of the process; the result is SQLite's.
  package static let registration = layer.register(as: name) { _, name, file, flags, outFlags in
    SystemFiles.open(name, file, flags, outFlags)
  }

  private static let layer = VFSLayer<Methods>(over: nil)

  /// The methods of an open database.
  private struct Methods {
    /// The system's methods, with some of them replaced.
    var own: sqlite3_io_methods
    let system: UnsafePointer<sqlite3_io_methods>
  }

  private static func open(
    _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    guard let file else { return SQLITE_MISUSE }
    let (result, system) = layer.open(name, file, flags, outFlags)
    guard let system else { return result }
    let methods = layer.data(of: file)
    methods.initialize(to: Methods(own: system.pointee, system: system))
    methods.pointee.own.xLock = { file, level in
      SystemFiles.lock(file) { $0.xLock?(file, level) }
    }
    methods.pointee.own.xShmLock = { file, first, count, flags in
      SystemFiles.lock(file) { $0.xShmLock?(file, first, count, flags) }
    }
    methods.pointee.own.xShmMap = { SystemFiles.map($0, $1, $2, $3, $4) }
    file.pointee.pMethods = UnsafeRawPointer(methods)
      .assumingMemoryBound(to: sqlite3_io_methods.self)
    return result
  }

  /// Acquires a lock with one of the system's methods.
  ///
  /// These also return `SQLITE_BUSY` if the file system has no locks or no more of them.
  private static func lock(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ take: (sqlite3_io_methods) -> Int32?
  ) -> Int32 {
    guard let file else { return SQLITE_MISUSE }
    // SQLite may be about to report an earlier error.
    let before = errno
    errno = 0
    defer { if errno == 0 { errno = before } }
    guard let result = take(layer.data(of: file).pointee.system.pointee) else {
      return SQLITE_MISUSE
    }
    return result == SQLITE_BUSY && errno == ENOLCK ? refusedLock : result
  }

  /// Maps a part of the index and ensures that the disk has space for all of it.
  private static func map(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ region: Int32, _ size: Int32, _ extend: Int32,
    _ start: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) -> Int32 {
    guard let start else { return SQLITE_MISUSE }
    let result = lock(file) { $0.xShmMap?(file, region, size, extend, start) }
    guard result == SQLITE_OK, let part = start.pointee, !isBacked(part, Int(size)) else {
      return result
    }
    start.pointee = nil
    return SQLITE_FULL
  }

  /// Whether the disk has space for a mapped part.
  ///
  /// Allocates the space if possible.
  private static func isBacked(_ start: UnsafeMutableRawPointer, _ count: Int) -> Bool {
    #if os(Linux)
    // MADV_POPULATE_WRITE and, for a part that is mapped for reading, MADV_POPULATE_READ. Linux
    // before 5.14 supports neither.
    let (forWriting, forReading) = (Int32(23), Int32(22))
    if madvise(start, count, forWriting) == 0 { return true }
    if errno == EINVAL, madvise(start, count, forReading) == 0 { return true }
    return errno != EFAULT
    #else
    return true
    #endif
  }
}
