#if os(Linux)
import CarillonModel
import CarillonSQLite
import CarillonTestSupport
import Foundation
import GRDBSQLite
import Synchronization
import Testing

/// A file system that does not support locks or has no more of them.
struct RefusedLockTests {
  @Test("A lock that the system refuses causes an error immediately, without waiting")
  func refused() async throws {
    try await Fixture.run(try History(seed: 31, count: 20).events) { fixture in
      await (try await fixture.open()).close()
      RefusedLocks.refuse(in: fixture.directory.path)
      let error = await #expect(throws: ProjectionError.self) {
        let projections = try await fixture.open()
        await projections.close()
      }
      #expect(error?.code == .io)
      #expect(error?.message.contains("does not support locks") == true)
      RefusedLocks.grant(in: fixture.directory.path)
      let projections = try await fixture.open()
      #expect(try await projections.check() == nil)
      await projections.close()
    }
  }
}

/// Makes SQLite's locks fail in some directories, as on a file system without locks.
private enum RefusedLocks {
  private typealias Control = @convention(c) (Int32, Int32, UnsafeMutableRawPointer?) -> Int32

  private static let directories = Mutex<Set<String>>([])

  static func refuse(in directory: String) {
    _ = original
    directories.withLock { _ = $0.insert(directory) }
  }

  static func grant(in directory: String) {
    directories.withLock { _ = $0.remove(directory) }
  }

  /// The system's call, which SQLite makes through this type after its first use.
  private static let original: Control? = {
    guard let system = sqlite3_vfs_find("unix"),
      let call = system.pointee.xGetSystemCall?(system, "fcntl")
    else { return nil }
    let refusing: Control = { descriptor, command, argument in
      if command == F_SETLK, RefusedLocks.isRefused(descriptor) {
        errno = ENOLCK
        return -1
      }
      return RefusedLocks.original?(descriptor, command, argument) ?? -1
    }
    _ = system.pointee.xSetSystemCall?(
      system, "fcntl", unsafeBitCast(refusing, to: sqlite3_syscall_ptr.self))
    return unsafeBitCast(call, to: Control.self)
  }()

  private static func isRefused(_ descriptor: Int32) -> Bool {
    let path = try? FileManager.default.destinationOfSymbolicLink(
      atPath: "/proc/self/fd/\(descriptor)")
    return directories.withLock { $0.contains { path?.hasPrefix($0) ?? false } }
  }
}
#endif
