package import CarillonModel
internal import Foundation

/// A part of a file that is read from beginning to end.
package final class FileSlice {
  package let path: String
  private let descriptor: Int32
  private var offset: Int64
  private let end: Int64

  /// Opens a whole file.
  ///
  /// - Throws: `notFound`, `readOnly`, `io`; `corrupt` for what is not a regular file.
  package convenience init(path: String) throws(LogError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw LogError.refused(errno, "cannot open \(path)") }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw LogError(code: .corrupt, message: "\(path) is not a regular file")
    }
    self.init(path: path, descriptor: descriptor, 0..<Int64(status.st_size))
  }

  private init(path: String, descriptor: Int32, _ range: Range<Int64>) {
    self.path = path
    self.descriptor = descriptor
    (offset, end) = (range.lowerBound, range.upperBound)
  }

  deinit { close(descriptor) }

  /// The number of bytes left.
  package var byteCount: Int64 { end - offset }

  /// Returns a part of the file, under a descriptor of its own.
  ///
  /// - Throws: `io` if the file is shorter.
  package func sliced(_ range: Range<Int64>) throws(LogError) -> FileSlice {
    guard range.upperBound <= end else {
      throw LogError(code: .io, message: "\(path) ends before byte \(range.upperBound)")
    }
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw LogError.refused(errno, "cannot open \(path)") }
    return FileSlice(path: path, descriptor: copy, range)
  }

  /// Reads the next bytes.
  ///
  /// - Throws: `io`, also if the file has become shorter.
  package func read(_ count: Int) throws(LogError) -> [UInt8] {
    guard Int64(count) <= byteCount else {
      throw LogError(code: .io, message: "\(path) ends \(Int64(count) - byteCount) bytes too early")
    }
    var reason: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = 0
      while filled < count {
        let rest = UnsafeMutableBufferPointer(rebasing: buffer[filled...])
        let got = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + Int64(filled)))
        if got > 0 {
          filled += got
        } else if got == 0 || errno != EINTR {
          reason = got == 0 ? EIO : errno
          return
        }
      }
    }
    guard reason == 0 else { throw LogError.refused(reason, "cannot read \(path)") }
    offset += Int64(count)
    return bytes
  }

  /// Skips bytes.
  package func skip(_ count: Int64) {
    offset = min(end, offset + count)
  }
}
