import CarillonLog
import CarillonTestSupport
import Foundation
import Testing

struct MadeDirectoriesTests {
  @Test("A directory that others keep removing is created all the same")
  func removed() async throws {
    let place = try TemporaryDirectory()
    defer { withExtendedLifetime(place) {} }
    let path = place.url.appending(path: "shared").path
    try await withThrowingTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<2000 {
            var made = MadeDirectories()
            try made.make(path)
            made.remove()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(!MadeDirectories.isDirectory(path))
  }
}
