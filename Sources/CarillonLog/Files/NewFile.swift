package import CarillonModel
internal import Foundation

/// A new file that only its owner can read, written from beginning to end.
///
/// A file that is released without ``finish()`` is removed.
package final class NewFile {
  package let path: String
  /// The number of bytes written.
  package private(set) var byteCount: Int64 = 0
  private var content = ContentDigest()
  private let descriptor: Int32
  private var isFinished = false

  /// Creates a file.
  ///
  /// - Throws: `alreadyExists`, `notFound`, `readOnly`, `full`, `io`.
  package init(at path: String) throws(LogError) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
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

  /// Makes the contents durable.
  ///
  /// - Throws: `full`, `io`.
  package func finish() throws(LogError) {
    guard fsync(descriptor) == 0 || errno == EINVAL else {
      throw LogError.refused(errno, "cannot sync \(path)")
    }
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
    try MadeDirectories.sync(MadeDirectories.parent(of: target))
  }

  deinit {
    close(descriptor)
    if !isFinished { unlink(path) }
  }
}
