import Carillon
import CarillonModel
import CarillonTesting
import Foundation
import Testing

/// A process that needs projections which another process is building waits for it.
struct BuilderWaitTests {
  @Test("A builder without progress is given up at the limit, and the error names it")
  func stopped() async throws {
    try await withTemporaryDirectory { directory in
      let home = directory.appending(path: "store")
      var options = StoreOptions.test(ManualClock("2026-11-23T08:00:00Z"))
      options.builderTimeout = .milliseconds(100)
      let store = try await Store.create(at: home, replica: "phone", options: options)
      let digest = try await store.stateDigest()
      // Holds the lock like a stopped builder.
      let path = home.appending(path: "projection-build.lock").path
      let lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      try #require(flock(lock, LOCK_EX | LOCK_NB) == 0)
      for work in [{ _ = try await store.rebuild() }, { _ = try await store.verify() }] {
        let error = await #expect(throws: StoreError.self) { try await work() }
        #expect(error?.code == .busy)
        let message = try #require(error?.message)
        #expect(
          message.contains("\(path): ") && message.contains("process \(getpid())"), "\(message)")
      }
      #expect(try await store.stateDigest() == digest)
      // A child process that is just starting may also hold the file.
      try #require(flock(lock, LOCK_UN) == 0)
      close(lock)
      #expect(try await store.rebuild().stateDigest == digest)
      await store.close()
    }
  }
}
