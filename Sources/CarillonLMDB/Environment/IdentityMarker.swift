internal import CLMDB
internal import CarillonModel
internal import Foundation

/// The inode and the creation time of a file, which distinguish a copied directory from a moved
/// one.
///
/// A copy of the directory contains a new marker file. The inode alone is not enough, because file
/// systems reuse inodes.
struct IdentityMarker: Hashable, Sendable {
  private let inode: UInt64
  private let seconds: Int64
  private let nanoseconds: UInt32

  static let byteCount = 20

  /// Reads 20 bytes: inode, seconds and nanoseconds, each big-endian.
  init(loading bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count >= Self.byteCount)
    inode = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    seconds = Int64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self))
    nanoseconds = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
  }

  /// Reads the marker of a directory, after creating it if it is missing and `creating` is true.
  ///
  /// - Throws: ``StorageFailure`` if there is no marker.
  init(in directory: String, creating: Bool) throws(StorageFailure) {
    let path = directory + "/" + LogFormat.markerFileName
    if creating { try Self.make(path) }
    var status = stat()
    var created: (seconds: Int64, nanoseconds: Int64) = (0, 0)
    guard lstat(path, &status) == 0,
      clmdb_creation_time(path, &created.seconds, &created.nanoseconds) == 0
    else { throw StorageFailure(code: errno, action: "cannot read the status of \(path)") }
    inode = UInt64(status.st_ino)
    seconds = created.seconds
    nanoseconds = UInt32(truncatingIfNeeded: created.nanoseconds)
  }

  /// Creates the file durably if it is missing.
  ///
  /// A power loss can remove a file that another process is creating at the same moment. The next
  /// process to open the log then creates a new one, and the log takes a new identity as if it were
  /// a copy.
  private static func make(_ path: String) throws(StorageFailure) {
    let descriptor = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      if errno == EEXIST { return }
      throw StorageFailure(code: errno, action: "cannot create \(path)")
    }
    fsync(descriptor)
    close(descriptor)
  }

  /// The marker as 20 bytes.
  var bytes: [UInt8] { inode.bigEndianBytes + seconds.bigEndianBytes + nanoseconds.bigEndianBytes }
}
