internal import CarillonLog
internal import CarillonModel
internal import Foundation
internal import Synchronization

/// LMDB's data file, read through the descriptor that LMDB has open.
///
/// Valid while the environment is open. This module has a mapping of its own: LMDB's mapping may
/// move when it grows, while this one stays in place as long as a snapshot reads from it. The file
/// never shrinks while it is open. If another program truncates it anyway, ``requireLength()``
/// detects that before the mapping is read.
final class DataFile: Sendable {
  /// The size of a page in bytes.
  let pageSize: Int
  let descriptor: Int32
  private let current: Mutex<Current>

  private struct Current {
    var mapping: Mapping?
    /// The greatest size of the file that was observed.
    var fileByteCount = 0
  }

  init(descriptor: Int32, pageSize: Int) {
    self.descriptor = descriptor
    self.pageSize = pageSize
    current = Mutex(Current())
  }

  /// The size of the file in bytes.
  var byteCount: Int {
    get throws { Int(try FileKey.status(of: descriptor, "the data file").st_size) }
  }

  /// A value that changes with each commit, so that it shows whether the file was written.
  struct Stamp: Equatable {
    private let (seconds, nanoseconds, byteCount): (Int, Int, Int)

    fileprivate init(_ status: stat) {
      #if canImport(Darwin)
      let time = status.st_mtimespec
      #else
      let time = status.st_mtim
      #endif
      (seconds, nanoseconds, byteCount) = (time.tv_sec, time.tv_nsec, Int(status.st_size))
    }
  }

  /// The time of the last write and the size of the file.
  var stamp: Stamp {
    get throws { Stamp(try FileKey.status(of: descriptor, "the data file")) }
  }

  /// Checks that the file has not become shorter.
  ///
  /// The system kills a process that reads mapped memory beyond the end of the file, so this check
  /// precedes every snapshot, including LMDB's own. Truncating the file while a snapshot is being
  /// read still has that effect.
  ///
  /// - Throws: `corrupt`, `io`.
  func requireLength() throws {
    try current.withLock { try look(&$0) }
  }

  /// Checks that the first two pages name only pages that the file contains.
  ///
  /// - Throws: `corrupt`, `io`.
  func requireSoundPages() throws {
    _ = try MetaCheck(descriptor: descriptor, path: "the data file").pageSize()
  }

  /// Reads one of the first two pages from the file.
  ///
  /// - Throws: `corrupt` if the file ends before it.
  func metaPage(_ index: Int) throws(LogError) -> MetaPage {
    guard let page = MetaPage(of: descriptor, at: index * pageSize) else {
      throw .corrupt("the data file ends within its first two pages")
    }
    return page
  }

  /// Copies a page that the file contains from the file.
  ///
  /// - Throws: `corrupt` if the page cannot be read.
  func read(_ page: UInt64, into bytes: UnsafeMutableRawPointer) throws(LogError) {
    guard pread(descriptor, bytes, pageSize, off_t(page) * off_t(pageSize)) == pageSize else {
      throw .corrupt("page \(page) cannot be read")
    }
  }

  /// Undoes a failed commit.
  ///
  /// LMDB restores the number of the page that it could not write, but not the other bytes that the
  /// failed commit wrote.
  ///
  /// - Parameter page: The page before the commit.
  func restore(_ page: MetaPage) throws(StorageFailure) {
    try page.restore(in: descriptor, at: Int(page.number) * pageSize)
  }

  /// Returns the mapping, after checking that the file has at least `byteCount` bytes.
  func mapping(of byteCount: Int) throws -> Mapping {
    try current.withLock { current in
      if current.fileByteCount < byteCount { try look(&current) }
      guard current.fileByteCount >= byteCount else {
        throw LogError.corrupt(
          "the data file has \(current.fileByteCount) bytes, but its pages need \(byteCount)")
      }
      if let mapping = current.mapping, mapping.byteCount >= byteCount { return mapping }
      let mapping = try Mapping(
        descriptor: descriptor, byteCount: max(2 * current.fileByteCount, 1 << 24))
      current.mapping = mapping
      return mapping
    }
  }

  // MARK: -

  /// Reads and stores the size of the file.
  private func look(_ current: inout Current) throws {
    let byteCount = try byteCount
    guard byteCount >= current.fileByteCount else {
      throw LogError.corrupt(
        "the data file was truncated from \(current.fileByteCount) to \(byteCount) bytes while it "
          + "was open")
    }
    current.fileByteCount = byteCount
  }
}

/// A range of memory that maps a file.
///
/// Sendable: `base` and `byteCount` never change after `init`; the memory is mapped read-only; and
/// it is unmapped only in `deinit`, when nothing refers to the mapping any more. Every reader holds
/// the mapping while it reads.
final class Mapping: @unchecked Sendable {
  let base: UnsafeRawPointer
  let byteCount: Int

  init(descriptor: Int32, byteCount: Int) throws(StorageFailure) {
    guard let base = mmap(nil, byteCount, PROT_READ, MAP_SHARED, descriptor, 0),
      base != MAP_FAILED
    else {
      throw StorageFailure(
        code: errno, action: "cannot map the data file", mapByteCount: byteCount)
    }
    self.base = UnsafeRawPointer(base)
    self.byteCount = byteCount
  }

  deinit {
    munmap(UnsafeMutableRawPointer(mutating: base), byteCount)
  }
}

extension DataFile {
  /// LMDB returns `EIO` after a partial write; on a full disk the cause is `ENOSPC`.
  func codeOfShortWrite() -> Int32 {
    var status = statvfs()
    guard fstatvfs(descriptor, &status) == 0 else { return EIO }
    let isFull = UInt64(status.f_bavail) * UInt64(status.f_frsize) < 1 << 20
    return isFull ? ENOSPC : EIO
  }
}
