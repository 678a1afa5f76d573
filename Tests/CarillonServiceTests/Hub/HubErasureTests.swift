#if Service
import CarillonTestSupport
import Foundation
import Testing

/// What a device of a store that is not sealed erases, at a hub, with real processes over TLS.
@Suite(
  .enabled(if: Shell.has("openssl"), "openssl is not installed"),
  .disabled(if: PostgresServer.whyMissing != nil, PostgresServer.whyMissing))
struct HubErasureTests {
  @Test(
    "What is erased on one device is gone from the hub after one sync, and does not come back",
    arguments: HubBench.Storage.allCases)
  func erases(_ storage: HubBench.Storage) async throws {
    let hub = try await HubBench.make(storage)
    let process = try await hub.serveSecurely()
    let person = try await hub.addPerson()
    for store in ["first", "wrist"] { try await hub.join(person, as: store, at: process) }
    for title in ["Ravenously", "Samovar"] { try await hub.bench.add(title, to: "first") }
    for store in ["first", "wrist"] { try await hub.sync(store) }
    try await Self.note("ravine", of: "Ravenously", in: "wrist", hub)
    try await Self.note("kettle", of: "Samovar", in: "wrist", hub)
    for store in ["wrist", "first"] { try await hub.sync(store) }
    let before = try await hub.contents(of: person)
    for text in ["Ravenously", "ravine", "Samovar", "kettle"] {
      #expect(before.range(of: Data(text.utf8)) != nil, "\(text)")
    }
    let erased = try await hub.bench.start(
      ["habit", "delete", "Ravenously", "--erase", "--yes", "--store", hub.bench.path("first")]
    ).end()
    try #require(erased.status == 0, "\(erased)")
    try await hub.sync("first")
    // The other device has not heard of the erasure when it sends this.
    try await Self.note("canyon", of: "Ravenously", in: "wrist", hub)
    try await hub.sync("wrist")
    try await process.stop()
    let after = try await hub.contents(of: person)
    for text in ["Ravenously", "ravine", "canyon"] {
      #expect(after.range(of: Data(text.utf8)) == nil, "\(text)")
    }
    for text in ["Samovar", "kettle"] {
      #expect(after.range(of: Data(text.utf8)) != nil, "\(text)")
    }
    #expect(try await hub.titles("wrist") == ["Samovar"])
  }

  private static func note(
    _ text: String, of habit: String, in store: String, _ hub: HubBench
  ) async throws {
    let noted = try await hub.bench.start(
      ["note", habit, text, "--store", hub.bench.path(store)]
    ).end()
    try #require(noted.status == 0, "\(noted)")
  }
}
#endif
