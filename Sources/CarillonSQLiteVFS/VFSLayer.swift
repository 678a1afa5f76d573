internal import Foundation
package import GRDBSQLite

/// A VFS for SQLite on top of another one: it opens files, keeps data with each database, and
/// leaves the rest to the VFS below.
///
/// Sendable: SQLite never changes a VFS.
package struct VFSLayer<Data>: @unchecked Sendable {
  /// Opens a file for SQLite (`xOpen`).
  package typealias Opening =
    @convention(c) (
      UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?,
      UnsafeMutablePointer<sqlite3_file>?,
      Int32, UnsafeMutablePointer<Int32>?
    ) -> Int32

  private let below: UnsafeMutablePointer<sqlite3_vfs>?
  /// The place of the data in a file object, after the part of the VFS below.
  private let offset: Int

  /// Creates a layer over the VFS of this name, or over the system's if it is nil.
  package init(over name: String?) {
    below = sqlite3_vfs_find(name)
    offset = (Int(below?.pointee.szOsFile ?? 0) + 15) / 16 * 16
  }

  /// Registers the layer for the lifetime of the process; the result is SQLite's.
  package func register(as name: String, opening: @escaping Opening) -> Int32 {
    guard let below, let name = strdup(name) else { return SQLITE_NOMEM }
    let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    vfs.initialize(to: below.pointee)
    vfs.pointee.zName = UnsafePointer(name)
    vfs.pointee.pNext = nil
    vfs.pointee.szOsFile = Int32(offset + MemoryLayout<Data>.size)
    vfs.pointee.xOpen = opening
    return sqlite3_vfs_register(vfs, 0)
  }

  /// Opens a file with the VFS below.
  ///
  /// - Returns: SQLite's result, and the methods of the file if it is a database.
  package func open(
    _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>, _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> (result: Int32, methods: UnsafePointer<sqlite3_io_methods>?) {
    guard let open = below?.pointee.xOpen else { return (SQLITE_MISUSE, nil) }
    let result = open(below, name, file, flags, outFlags)
    let isDatabase = result == SQLITE_OK && flags & SQLITE_OPEN_MAIN_DB != 0
    return (result, isDatabase ? file.pointee.pMethods : nil)
  }

  /// The data of a database, which ``open(_:_:_:_:)`` leaves uninitialized.
  package func data(
    of file: UnsafeMutablePointer<sqlite3_file>
  ) -> UnsafeMutablePointer<Data> {
    (UnsafeMutableRawPointer(file) + offset).assumingMemoryBound(to: Data.self)
  }
}
