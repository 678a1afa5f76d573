internal import CarillonModel
internal import Foundation
internal import Synchronization

/// LMDB's data file, read through the descriptor that LMDB has open.
///
/// Valid while the environment is.
/// Its mapping is this module's own: LMDB's may move when it grows, this one stays where it is for
/// as long as a snapshot reads from it. The file itself only ever grows while it is open; where
/// somebody cuts it short all the same, ``requireLength()`` tells before the mapping is read.
final class DataFile: Sendable {
  /// In bytes.
  let pageSize: Int
  let descriptor: Int32
  private let current: Mutex<Current>

  private struct Current {
    var mapping: Mapping?
    /// The most bytes that the file was seen to have.
    var fileByteCount = 0
  }

  init(descriptor: Int32, pageSize: Int) {
    self.descriptor = descriptor
    self.pageSize = pageSize
    current = Mutex(Current())
  }

  /// The file's length.
  var byteCount: Int {
    get throws { Int(try FileKey.status(of: descriptor, "the data file").st_size) }
  }

  /// Tells whether the file was written: it changes with each commit.
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

  /// When the file was last written, and its length.
  var stamp: Stamp {
    get throws { Stamp(try FileKey.status(of: descriptor, "the data file")) }
  }

  /// Checks that the file is no shorter than it was.
  ///
  /// Memory that shows what is no longer there ends the process that reads it, so this comes before
  /// every snapshot, LMDB's own among them. A file that is cut while a snapshot is being read still
  /// does that.
  ///
  /// - Throws: `corrupt`, `io`.
  func requireLength() throws {
    try current.withLock { try look(&$0) }
  }

  /// Checks that the first two pages name nothing that the file does not back.
  ///
  /// - Throws: `corrupt`, `io`.
  func requireSoundPages() throws {
    _ = try MetaCheck(descriptor: descriptor, path: "the data file").pageSize()
  }

  /// One of the first two pages, read anew.
  ///
  /// - Throws: `corrupt` where the file ends before.
  func metaPage(_ index: Int) throws(LogError) -> MetaPage {
    guard let page = MetaPage(of: descriptor, at: index * pageSize) else {
      throw .corrupt("the data file ends in its first two pages")
    }
    return page
  }

  /// Undoes a commit that failed.
  ///
  /// LMDB puts back the number of the page that it could not write, and leaves what the failed
  /// commit wrote beside it.
  ///
  /// - Parameter page: As it was before the commit.
  func restore(_ page: MetaPage) throws(StorageFailure) {
    try page.restore(in: descriptor, at: Int(page.number) * pageSize)
  }

  /// The mapping, at least `byteCount` bytes of which the file backs.
  func mapping(of byteCount: Int) throws -> Mapping {
    try current.withLock { current in
      if current.fileByteCount < byteCount { try look(&current) }
      guard current.fileByteCount >= byteCount else {
        throw LogError.corrupt(
          "the data file has \(current.fileByteCount) bytes, its pages need \(byteCount)")
      }
      if let mapping = current.mapping, mapping.byteCount >= byteCount { return mapping }
      let mapping = try Mapping(
        descriptor: descriptor, byteCount: max(2 * current.fileByteCount, 1 << 24))
      current.mapping = mapping
      return mapping
    }
  }

  // MARK: -

  /// Notes the file's length.
  private func look(_ current: inout Current) throws {
    let byteCount = try byteCount
    guard byteCount >= current.fileByteCount else {
      throw LogError.corrupt(
        "the data file was cut from \(current.fileByteCount) to \(byteCount) bytes while it was "
          + "open")
    }
    current.fileByteCount = byteCount
  }
}

/// A range of memory that shows a file.
///
/// Sendable: `base` and `byteCount` never change after `init`; the memory is mapped read-only; and
/// it is unmapped only in `deinit`, when nobody refers to the mapping any more. Whoever reads from
/// it holds the mapping for that long.
final class Mapping: @unchecked Sendable {
  let base: UnsafeRawPointer
  let byteCount: Int

  init(descriptor: Int32, byteCount: Int) throws(StorageFailure) {
    guard let base = mmap(nil, byteCount, PROT_READ, MAP_SHARED, descriptor, 0),
      base != MAP_FAILED
    else { throw StorageFailure(code: errno, action: "Cannot map the data file") }
    self.base = UnsafeRawPointer(base)
    self.byteCount = byteCount
  }

  deinit {
    munmap(UnsafeMutableRawPointer(mutating: base), byteCount)
  }
}

extension DataFile {
  /// LMDB answers `EIO` where the system wrote only a part; on a full disk that is `ENOSPC`.
  func codeOfShortWrite() -> Int32 {
    var status = statvfs()
    guard fstatvfs(descriptor, &status) == 0 else { return EIO }
    let isFull = UInt64(status.f_bavail) * UInt64(status.f_frsize) < 1 << 20
    return isFull ? ENOSPC : EIO
  }
}
