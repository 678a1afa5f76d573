#if Service
import CarillonTestSupport
import Foundation
import Testing

/// What the program reports to the service manager that started it.
@Suite struct ServiceManagerTests {
  @Test(
    "The manager hears when the service is ready, that it answers, and that it stops",
    arguments: ["path", "abstract"])
  func messages(kind: String) async throws {
    let bench = try await ServiceBench.make()
    let name = kind == "path" ? bench.path("notify") : "@carillon-\(UUID().uuidString)"
    let manager = try DatagramReader(name)
    let service = try await bench.serve(
      environment: ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "300000"])
    #expect(await manager.next() == "READY=1")
    #expect(await manager.next() == "WATCHDOG=1")
    #expect(await manager.next() == "WATCHDOG=1")
    #expect(try await service.stop().status == 0)
    var last: String?
    while let message = await manager.next(within: 0.1) { last = message }
    #expect(last == "STOPPING=1")
  }

  @Test("Signs of life that are requested of another process are not sent")
  func otherProcess() async throws {
    let bench = try await ServiceBench.make()
    let manager = try DatagramReader(bench.path("notify"))
    let service = try await bench.serve(
      environment: [
        "NOTIFY_SOCKET": bench.path("notify"), "WATCHDOG_USEC": "300000", "WATCHDOG_PID": "1",
      ])
    #expect(await manager.next() == "READY=1")
    #expect(await manager.next(within: 0.5) == nil)
    #expect(try await service.stop().status == 0)
    #expect(await manager.next() == "STOPPING=1")
  }

  @Test(
    "A service that runs but accepts no connection sends no sign of life until it does again",
    .enabled(if: Shell.has("prlimit"), "prlimit is not installed"))
  func noAnswer() async throws {
    let bench = try await ServiceBench.make()
    let manager = try DatagramReader(bench.path("notify"))
    let service = try await bench.serve(
      environment: ["NOTIFY_SOCKET": bench.path("notify"), "WATCHDOG_USEC": "300000"])
    // What the runtime opens at first use is open after the first sleep.
    for message in ["READY=1", "WATCHDOG=1", "WATCHDOG=1"] {
      #expect(await manager.next() == message)
    }
    let limit = "prlimit --pid \(service.program.process.identifier) --nofile"
    #expect(try await Shell.run("\(limit)=4:1024", in: bench).status == 0)
    while await manager.next(within: 1) != nil {}
    #expect(service.program.process.isRunning)
    #expect(try await Shell.run("\(limit)=1024:1024", in: bench).status == 0)
    #expect(await manager.next() == "WATCHDOG=1")
    #expect(try await service.stop().status == 0)
  }

  @Test(
    "A name that is no socket's is refused",
    arguments: ["relative", "@", "/" + String(repeating: "a", count: 108)])
  func refusal(name: String) async throws {
    let bench = try await ServiceBench.make()
    let ended = try await bench.failing(
      "--listen", "127.0.0.1:0", environment: ["NOTIFY_SOCKET": name])
    #expect(ended.status == 64 && ended.errors.contains("NOTIFY_SOCKET is \"\(name)"), "\(ended)")
    #expect(ended.output.isEmpty)
  }
}

/// A datagram socket, as a service manager has one.
final class DatagramReader: Sendable {
  private let descriptor: Int32

  init(_ name: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) {
      $0.copyBytes(from: name.utf8)
      if name.hasPrefix("@") { $0[0] = 0 }
    }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + name.utf8.count)
    let result = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  }

  deinit { close(descriptor) }

  /// Returns the next message; nil if none comes within the seconds.
  func next(within seconds: Double = 60) async -> String? {
    let descriptor = descriptor
    return await withCheckedContinuation { continuation in
      // Waiting blocks a thread, which none of the tasks may.
      Thread.detachNewThread {
        var readable = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&readable, 1, Int32(seconds * 1_000)) == 1 else {
          return continuation.resume(returning: nil)
        }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        continuation.resume(returning: String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self))
      }
    }
  }
}
#endif
