import Carillon
import Foundation

/// A service that embeds a store: it writes a few events, follows the log, and prints the pending
/// reminders.
///
/// Run it with `swift run --package-path tools/example-service`.
@main
struct ExampleService {
  static func main() async throws {
    let directory = FileManager.default.temporaryDirectory
      .appending(component: "carillon-example-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }

    let store = try await Store.create(at: directory, replica: "server", role: .server)
    async let followed = follow(store, until: "entry.recorded")

    let walk = try await store.add(
      Habit("Walk", .daily(at: ["07:30", "17:00"], unless: .done)))
    try await store.markDone(walk.id, on: .today)

    print("followed \(try await followed) events")
    for request in try await store.plan().requests.prefix(3) {
      print("\(request.nominal)  \(request.content.title)")
    }
    await store.close()
  }

  /// Prints the past events and then each new one, until one of the given type.
  ///
  /// - Returns: The number of events.
  static func follow(_ store: Store, until last: String) async throws -> Int {
    var count = 0
    for try await event in store.events(after: .start) {
      count += 1
      let type = event.payload?.typeName ?? "unreadable"
      print("\(event.position.rawValue)  \(type)")
      if type == last { break }
    }
    return count
  }
}
