internal import CLMDB
internal import CarillonModel
internal import Foundation

/// What tells a copied directory from a moved one: the inode and the creation time of a file.
///
/// A copy gets a file of its own. Inodes alone are not enough, since file systems use them again.
struct IdentityMarker: Hashable, Sendable {
  private let inode: UInt64
  private let seconds: Int64
  private let nanoseconds: UInt32

  static let byteCount = 20

  /// Reads 20 bytes: inode, seconds, nanoseconds, big-endian.
  init(loading bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count >= Self.byteCount)
    inode = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    seconds = Int64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self))
    nanoseconds = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
  }

  /// Looks at the marker in a directory, and makes it where it is missing and may be made.
  ///
  /// - Throws: ``StorageFailure`` where there is none.
  init(in directory: String, creating: Bool) throws(StorageFailure) {
    let path = directory + "/" + LogFormat.markerFileName
    if creating { try Self.make(path) }
    var status = stat()
    var created: (seconds: Int64, nanoseconds: Int64) = (0, 0)
    guard lstat(path, &status) == 0,
      clmdb_creation_time(path, &created.seconds, &created.nanoseconds) == 0
    else { throw StorageFailure(code: errno, action: "Cannot look at \(path)") }
    inode = UInt64(status.st_ino)
    seconds = created.seconds
    nanoseconds = UInt32(truncatingIfNeeded: created.nanoseconds)
  }

  /// Makes the file, durable, where it is missing.
  ///
  /// One that another process is just making may be lost with the power: then the next opening
  /// makes another, and the log takes the new identity of a copy.
  private static func make(_ path: String) throws(StorageFailure) {
    let descriptor = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      if errno == EEXIST { return }
      throw StorageFailure(code: errno, action: "Cannot make \(path)")
    }
    fsync(descriptor)
    close(descriptor)
  }

  /// The 20 bytes.
  var bytes: [UInt8] { inode.bigEndianBytes + seconds.bigEndianBytes + nanoseconds.bigEndianBytes }
}
