import Foundation
import Testing

/// Time zones keep their IANA names.
struct ZoneNameTests {
  @Test("UTC stays UTC: in the log, in requests and in answers")
  func utc() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("habit", "add", "Tea", "--at", "08:00", "--fixed-zone", "UTC")
    let events = try await bench.run("log", "--json").documents()
    #expect(events.first { $0["type"]?.text == "schedule.set" }?["zone"]?.text == "UTC")
    let pending = try await bench.json("pending", zone: "UTC")
    #expect(pending["zone"]?.text == "UTC")
    #expect(pending["pending"]?[0]?["trigger"]?.text == "daily 08:00 UTC")
    _ = try await bench.start(["done", "Tea"], zone: "UTC").answer()
    let described = try await bench.run("log", "--json").documents()
      .last { $0["type"]?.text == "device.described" }
    #expect(described?["zone"]?.text == "UTC", "\(String(describing: described))")
  }
}
