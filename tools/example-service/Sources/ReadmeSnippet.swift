import Carillon
import Foundation

/// The library example of `README.md`, compiled to keep it correct.
func readmeSnippet(in directory: URL) async throws {
  let store = try await Store.create(at: directory, replica: "phone", role: .phone)
  let walk = try await store.add(
    Habit("Walk", .weekly(on: [.monday, .friday], at: ["07:30", "17:00"], unless: .done)))

  try await store.markDone(walk.id, on: .today)
  let plan = try await store.plan()  // at most 64 of the next 8 days
  print(plan.requests.count)

  for try await event in store.events(after: .start) {  // history, then live
    print(event.position, event.payload?.typeName ?? "unreadable")
  }
}
