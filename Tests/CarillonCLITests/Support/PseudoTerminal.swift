import Foundation
import Synchronization

/// A pseudo terminal that records the output of a process.
final class PseudoTerminal: Sendable {
  /// The file that a process opens to write to the terminal.
  let url: URL
  /// Kept open, so that the terminal does not end before a process opens it.
  private let process: FileHandle
  private let text = Mutex<[UInt8]>([])
  private let ended: AsyncStream<Void>

  /// Opens a terminal with a number of columns, and reads from it until no process has it open.
  init(columns: UInt16) throws {
    let (own, other, path) = try Self.open()
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard ioctl(other, UInt(TIOCSWINSZ), &size) == 0 else { throw Self.problem }
    url = URL(filePath: path)
    process = FileHandle(fileDescriptor: other, closeOnDealloc: true)
    let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
    self.ended = ended
    // A terminal buffers few bytes, so a writer waits until they are read.
    Thread.detachNewThread { [self] in
      var buffer = [UInt8](repeating: 0, count: 4_096)
      // EIO reports that the last process closed the terminal.
      while case let count = read(own, &buffer, buffer.count), count > 0 {
        text.withLock { $0 += buffer[..<count] }
      }
      close(own)
      continuation.finish()
    }
  }

  /// All that was printed, once the process has ended.
  func printed() async throws -> String {
    try process.close()
    for await _ in ended {}
    return text.withLock { String(decoding: $0, as: UTF8.self) }
  }

  private static var problem: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

  /// The reader's end, the process's end, and the path of the latter.
  private static func open() throws -> (own: Int32, other: Int32, path: String) {
    #if canImport(Darwin)
    let own = posix_openpt(O_RDWR | O_NOCTTY)
    guard own >= 0, grantpt(own) == 0, unlockpt(own) == 0, let name = ptsname(own) else {
      throw problem
    }
    let path = String(cString: name)
    #else
    // These calls replace posix_openpt, unlockpt and ptsname, which Swift's Glibc lacks.
    let (unlock, askNumber) = (UInt(0x4004_5431), UInt(0x8004_5430))
    let own = Foundation.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (lock, number): (Int32, Int32) = (0, 0)
    guard own >= 0, ioctl(own, unlock, &lock) == 0, ioctl(own, askNumber, &number) == 0 else {
      throw problem
    }
    let path = "/dev/pts/\(number)"
    #endif
    let other = Foundation.open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard other >= 0 else { throw problem }
    return (own, other, path)
  }
}
