package import CarillonModel
package import Foundation

/// The device and inode of a file, which identify it among all existing files.
package struct FileKey: Hashable, Sendable {
  package let device: UInt64
  package let inode: UInt64

  private init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }

  /// Reads the key of an open file.
  package init(of descriptor: Int32, _ path: String) throws(LogError) {
    self.init(try Self.status(of: descriptor, path))
  }

  /// Reads the key of the file at a path, following links; nil if there is none.
  package init?(of path: String) throws(LogError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw LogError.refused(errno, "cannot read the status of \(path)")
    }
    self.init(status)
  }

  package static func status(of descriptor: Int32, _ path: String) throws(LogError) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw LogError.refused(errno, "cannot read the status of \(path)")
    }
    return status
  }
}
