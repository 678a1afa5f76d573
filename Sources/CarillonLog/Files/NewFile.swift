package import CarillonModel
package import Foundation

/// A new file that only its owner can read, written from beginning to end.
///
/// A file that is released without ``finish()`` is removed. With ``finish(as:)`` or
/// ``finish(replacing:)`` the file is written under a temporary name in the same directory. A
/// reader then sees either the old state or all of the new contents, even after a kill or a power
/// cut.
package final class NewFile {
  package let path: String
  /// The number of bytes written.
  package private(set) var byteCount: Int64 = 0
  private var content = ContentDigest()
  /// The descriptor of the file, open for writing.
  ///
  /// What is written through it is not in ``byteCount`` and ``digest``.
  package let descriptor: Int32
  private var isFinished = false

  /// Creates a file.
  ///
  /// - Throws: `alreadyExists`, `notFound`, `readOnly`, `full`, `io`.
  package init(at path: String) throws(LogError) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      // Nothing may be removed: the file, if there is one, is somebody else's.
      isFinished = true
      guard errno != EEXIST else {
        throw LogError(code: .alreadyExists, message: "\(path) already exists")
      }
      throw LogError.refused(errno, "cannot create \(path)")
    }
    // The umask may have taken away the owner's own access.
    fchmod(descriptor, 0o600)
  }

  /// The SHA-256 of the bytes written.
  package var digest: [UInt8] { content.finalize() }

  /// Appends bytes.
  ///
  /// - Throws: `full`, `io`.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(LogError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
      if count > 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      } else if count == 0 || errno != EINTR {
        throw LogError.refused(count == 0 ? EIO : errno, "cannot write \(path)")
      }
    }
    content.update(bytes)
    byteCount += Int64(bytes.count)
  }

  /// Appends bytes.
  ///
  /// - Throws: `full`, `io`.
  package func write(_ bytes: [UInt8]) throws(LogError) {
    do {
      try bytes.withUnsafeBytes { try write($0) }
    } catch {
      throw error as? LogError ?? LogError(code: .io, message: "\(error)")
    }
  }

  /// Takes over the mode of an existing file, and its owner if root writes this file.
  ///
  /// - Throws: `readOnly`, `io`.
  package func takeMode(of status: stat) throws(LogError) {
    guard geteuid() != 0 || fchown(descriptor, status.st_uid, status.st_gid) == 0,
      fchmod(descriptor, status.st_mode & 0o7777) == 0
    else { throw LogError.refused(errno, "cannot change the mode of \(path)") }
  }

  /// Makes the contents durable.
  ///
  /// - Throws: `full`, `io`.
  package func finish() throws(LogError) {
    try MadeDirectories.sync(descriptor, of: path)
    isFinished = true
  }

  /// Makes the contents durable under another name, and replaces a file with that name.
  ///
  /// - Throws: `full`, `io`.
  package func finish(replacing target: String) throws(LogError) {
    try finish()
    guard rename(path, target) == 0 else {
      isFinished = false
      throw LogError.refused(errno, "cannot replace \(target)")
    }
    try MadeDirectories.sync(MadeDirectories.parent(of: target))
  }

  /// Makes the contents durable under another name that no file has.
  ///
  /// - Throws: `alreadyExists`, `full`, `io`.
  package func finish(as target: String) throws(LogError) {
    try finish()
    isFinished = false
    // Unlike a rename, a link never replaces a file. Some file systems have no links.
    if link(path, target) != 0 {
      switch errno {
      case EEXIST: throw LogError(code: .alreadyExists, message: "\(target) already exists")
      case EPERM, EOPNOTSUPP: return try finish(replacing: target)
      case let reason: throw LogError.refused(reason, "cannot create \(target)")
      }
    }
    do throws(LogError) {
      try MadeDirectories.sync(MadeDirectories.parent(of: target))
    } catch {
      unlink(target)
      throw error
    }
  }

  deinit {
    close(descriptor)
    if !isFinished { unlink(path) }
  }
}
