internal import CFiles
package import CarillonModel
internal import Foundation

/// The inode and the creation time of a file, which distinguish a copied directory from a moved
/// one.
///
/// A copy of the directory contains a new marker file. The inode alone is not enough, because file
/// systems reuse inodes.
package struct IdentityMarker: Hashable, Sendable {
  private let inode: UInt64
  private let seconds: Int64
  private let nanoseconds: UInt32

  static let byteCount = 20

  /// Reads 20 bytes: inode, seconds and nanoseconds, each big-endian.
  package init(loading bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count >= Self.byteCount)
    inode = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    seconds = Int64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self))
    nanoseconds = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
  }

  /// Reads the marker file at a path, after creating it if it is missing and `creating` is true.
  ///
  /// - Throws: `LogError` if there is no marker.
  package init(at path: String, creating: Bool) throws(LogError) {
    if creating { try Self.make(path) }
    var status = stat()
    var created: (seconds: Int64, nanoseconds: Int64) = (0, 0)
    guard lstat(path, &status) == 0,
      cfiles_creation_time(path, &created.seconds, &created.nanoseconds) == 0
    else { throw LogError.refused(errno, "cannot read the status of \(path)") }
    inode = UInt64(status.st_ino)
    seconds = created.seconds
    nanoseconds = UInt32(truncatingIfNeeded: created.nanoseconds)
  }

  /// Creates the file durably if it is missing.
  ///
  /// A power loss can remove a file that another process is creating at the same moment. The next
  /// process to open the log then creates a new one, and the log takes a new identity as if it were
  /// a copy.
  private static func make(_ path: String) throws(LogError) {
    let descriptor = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      if errno == EEXIST { return }
      throw LogError.refused(errno, "cannot create \(path)")
    }
    fsync(descriptor)
    close(descriptor)
  }

  /// The marker as 20 bytes.
  package var bytes: [UInt8] {
    inode.bigEndianBytes + seconds.bigEndianBytes + nanoseconds.bigEndianBytes
  }
}
