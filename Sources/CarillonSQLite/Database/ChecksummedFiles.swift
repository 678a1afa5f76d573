internal import CarillonModel
internal import CarillonSQLiteVFS
internal import Foundation
internal import GRDBSQLite

/// A VFS for SQLite that adds a checksum to every page of a database and uses ``SystemFiles`` for
/// everything else.
///
/// Writing a page computes its checksum and reading one compares it, so SQLite never sees a page of
/// a projection file that differs from the written one. Pages in a write-ahead log are covered by
/// that log's own checksums during recovery.
///
/// A short write-ahead log stays when the last connection closes, see ``KeptLog``.
enum ChecksummedFiles {
  /// The name of the VFS in SQLite.
  ///
  /// It is registered at the first use.
  static func vfsName() throws -> String {
    guard registration == SQLITE_OK else {
      throw ProjectionError(resultCode: registration, "cannot register the VFS for page checksums")
    }
    return name
  }

  /// SQLite's code for a page that does not match its checksum: `SQLITE_IOERR_DATA`.
  static let mismatch = SQLITE_IOERR | 32 << 8

  /// SQLite's code for a file that ends before the bytes to be read: `SQLITE_IOERR_SHORT_READ`.
  private static let shortRead = SQLITE_IOERR | 2 << 8

  private static let name = "carillon-checksums"

  /// The data of an open database.
  private struct Extra {
    /// The methods of the VFS below, with some of them replaced.
    var methods: sqlite3_io_methods
    /// The methods of the VFS below.
    let system: UnsafePointer<sqlite3_io_methods>
    /// Whether the file is being built, so that pages may be read that were never written.
    let isBuilding: Bool
    /// The path of the write-ahead log, which SQLite owns.
    let log: UnsafePointer<CChar>?
    /// The seal that the log had when the database was opened; nil after a write to the database.
    var seal: KeptLog.Seal?
  }

  private static let layer = VFSLayer<Extra>(over: SystemFiles.name)

  /// Registers the VFS once, for the lifetime of the process.
  private static let registration: Int32 = {
    guard SystemFiles.registration == SQLITE_OK else { return SystemFiles.registration }
    return layer.register(as: name) { _, name, file, flags, outFlags in
      ChecksummedFiles.open(name, file, flags, outFlags)
    }
  }()

  private static func open(
    _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    guard let file else { return SQLITE_MISUSE }
    let (result, methods) = layer.open(name, file, flags, outFlags)
    guard let methods else { return result }
    let extra = layer.data(of: file)
    extra.initialize(
      to: Extra(
        methods: methods.pointee, system: methods, isBuilding: flags & SQLITE_OPEN_CREATE != 0,
        log: name.flatMap { sqlite3_filename_wal($0) }))
    guard keptLog(of: file)?.belongsToDatabase(&extra.pointee.seal) != false else {
      _ = methods.pointee.xClose?(file)
      file.pointee.pMethods = nil
      return SQLITE_CORRUPT
    }
    // Without the methods of version 3 nothing is mapped, so every page is read.
    extra.pointee.methods.iVersion = min(2, methods.pointee.iVersion)
    extra.pointee.methods.xRead = { ChecksummedFiles.read($0, $1, $2, $3) }
    extra.pointee.methods.xWrite = { ChecksummedFiles.write($0, $1, $2, $3) }
    extra.pointee.methods.xLock = { ChecksummedFiles.lockDatabase($0, $1) }
    file.pointee.pMethods = UnsafeRawPointer(extra).assumingMemoryBound(to: sqlite3_io_methods.self)
    return result
  }

  // MARK: - Pages

  private static func read(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ bytes: UnsafeMutableRawPointer?, _ count: Int32,
    _ offset: Int64
  ) -> Int32 {
    guard let file, let bytes else { return SQLITE_MISUSE }
    let extra = layer.data(of: file)
    guard let read = extra.pointee.system.pointee.xRead else { return SQLITE_MISUSE }
    let result = read(file, bytes, count, offset)
    // SQLite reads less than a page only for the header, and then reads that page in full.
    guard let number = pageNumber(count, offset) else { return result }
    let isBuilding = extra.pointee.isBuilding
    if result == SQLITE_OK {
      let isMatch = PageChecksum.held(by: bytes) == PageChecksum.of(bytes, number: number)
      return isMatch || isBuilding && isEmpty(bytes) ? result : mismatch
    }
    // The file ends before a page that it should have.
    return result == shortRead && !isBuilding ? mismatch : result
  }

  private static func write(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ bytes: UnsafeRawPointer?, _ count: Int32,
    _ offset: Int64
  ) -> Int32 {
    guard let file, let bytes, let write = layer.data(of: file).pointee.system.pointee.xWrite else {
      return SQLITE_MISUSE
    }
    layer.data(of: file).pointee.seal = nil
    if let number = pageNumber(count, offset) {
      // SQLite neither reads nor compares these bytes of its buffer.
      PageChecksum.write(into: UnsafeMutableRawPointer(mutating: bytes), number: number)
    }
    return write(file, bytes, count, offset)
  }

  private static func pageNumber(_ count: Int32, _ offset: Int64) -> UInt64? {
    let size = Int64(PageChecksum.pageByteCount)
    return count == size && offset % size == 0 ? UInt64(offset / size) + 1 : nil
  }

  private static func isEmpty(_ page: UnsafeMutableRawPointer) -> Bool {
    UnsafeRawBufferPointer(start: page, count: PageChecksum.pageByteCount).allSatisfy { $0 == 0 }
  }

  /// The write-ahead log of a database that is not being built.
  private static func keptLog(of file: UnsafeMutablePointer<sqlite3_file>) -> KeptLog? {
    let extra = layer.data(of: file)
    guard !extra.pointee.isBuilding, let log = extra.pointee.log,
      let read = extra.pointee.system.pointee.xRead
    else { return nil }
    return KeptLog(path: log) { number in
      var checksum: UInt64 = 0
      let size = Int64(PageChecksum.pageByteCount)
      let end = size * Int64(number) - Int64(PageChecksum.byteCount)
      let result = read(file, &checksum, Int32(PageChecksum.byteCount), end)
      return result == SQLITE_OK ? checksum : 0
    }
  }

  // MARK: - Locks

  private static func lockDatabase(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ level: Int32
  ) -> Int32 {
    guard let file, let lock = layer.data(of: file).pointee.system.pointee.xLock else {
      return SQLITE_MISUSE
    }
    let result = lock(file, level)
    // Only closing the last connection asks for it, to empty the write-ahead log and remove it.
    guard result == SQLITE_OK, level == SQLITE_LOCK_EXCLUSIVE,
      keptLog(of: file)?.seal(unless: layer.data(of: file).pointee.seal) == true
    else { return result }
    _ = layer.data(of: file).pointee.system.pointee.xUnlock?(file, SQLITE_LOCK_SHARED)
    return SQLITE_BUSY
  }
}
