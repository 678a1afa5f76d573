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

  /// Runs a verb in the zone of `TZ`.
  private func pending(_ bench: Workbench, tz: String) async throws -> Answer {
    try await bench.startPlain(["pending", "--json"], with: ["TZ": tz]).answer()
  }

  @Test(
    "TZ is read as the C library reads it if it names a zone of the time zone database",
    arguments: [
      ("Asia/Tokyo", "Asia/Tokyo"), (":Asia/Tokyo", "Asia/Tokyo"), ("Etc/GMT+5", "Etc/GMT+5"),
      ("/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo"), ("EST5EDT", "EST5EDT"),
      (":/usr/share/zoneinfo/America/Argentina/Ushuaia", "America/Argentina/Ushuaia"),
      ("UTC", "UTC"), ("", "UTC"), (":", "UTC"),
    ])
  func variable(tz: String, zone: String) async throws {
    let bench = try await Workbench.withStore()
    let answer = try await pending(bench, tz: tz)
    #expect(try answer.document()["zone"]?.text == zone, "\(answer)")
  }

  @Test("A link to the file of a zone names the zone, as /etc/localtime does")
  func link() async throws {
    let bench = try await Workbench.withStore()
    let folder = bench.url("zoneinfo/Asia")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try bench.write("TZif", to: "zoneinfo/Asia/Tokyo")
    try FileManager.default.createSymbolicLink(
      atPath: bench.path("localtime"), withDestinationPath: bench.path("zoneinfo/Asia/Tokyo"))
    let answer = try await pending(bench, tz: bench.path("localtime"))
    #expect(try answer.document()["zone"]?.text == "Asia/Tokyo", "\(answer)")
  }

  @Test(
    "TZ is refused if it names no zone of the time zone database, unless --zone does",
    arguments: [
      "JST-9", "EST5EDT,M3.2.0,M11.1.0", "<+09>-9", "UTC-5", "GMT+3", "JST", "Mars/Base",
      ":Nowhere", "/usr/share/zoneinfo/Mars/Base", "/usr/share/zoneinfo/../../../etc/passwd",
      "/nowhere/Tokyo",
    ])
  func unnamed(tz: String) async throws {
    let bench = try await Workbench.withStore()
    let answer = try await pending(bench, tz: tz)
    #expect(answer.status == 64 && answer.output.isEmpty, "\(answer)")
    for text in [tz, "TZ=Asia/Tokyo", "--zone Asia/Tokyo"] {
      #expect(answer.errors.contains(text), "\(answer)")
    }
    let given = try await bench.startPlain(
      ["pending", "--json", "--zone", "Asia/Tokyo"], with: ["TZ": tz]
    ).answer()
    #expect(try given.document()["zone"]?.text == "Asia/Tokyo", "\(given)")
  }
}
