import Foundation
import Testing

/// What people try first works, or names the way.
struct FirstGuessTests {
  @Test("habit delete finds an archived habit by a few letters")
  func deleteArchived() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Evening walk")
    try await bench.run("habit", "archive", "even")
    #expect(try await bench.run("habit", "delete", "even").output == "Deleted Evening walk.\n")
    let again = try await bench.run("habit", "delete", "even")
    #expect(again.output == "Evening walk is already deleted.\n", "\(again)")
  }

  @Test("A habit with one schedule names the schedule; with several, they are listed")
  func scheduleOfHabit() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Gym", "--at", "18:00")
    let edited = try await bench.run("schedule", "edit", "gym", "--at", "19:00")
    #expect(edited.output.hasPrefix("Gym: daily 19:00"), "\(edited)")
    try await bench.run("schedule", "add", "gym", "--at", "7:00")
    let several = try await bench.run("schedule", "remove", "gym")
    #expect(several.status == 65 && several.errors.contains("Gym has 2 schedules: "), "\(several)")
    let id = try #require(several.errors.firstMatch(of: /([0-9a-f]{8}) daily 19:00/))
    try await bench.run("schedule", "remove", String(id.1))
    let removed = try await bench.run("schedule", "remove", "gym")
    #expect(removed.output == "Removed from Gym: daily 07:00\n", "\(removed)")
    let none = try await bench.run("schedule", "remove", "gym")
    #expect(none.errors.contains("carillon schedule add Gym --at 17:00\n"), "\(none)")
    try await bench.run("habit", "delete", "gym")
    let deleted = try await bench.run("schedule", "remove", "Gym")
    #expect(deleted.errors.contains("to restore it: carillon habit restore Gym\n"), "\(deleted)")
    let unknown = try await bench.run("schedule", "remove", "swim")
    #expect(
      unknown.status == 66 && unknown.errors.contains("no schedule or habit \"swim\""), "\(unknown)"
    )
  }

  @Test("A setting is named in any case, and shown alone")
  func settings() async throws {
    let bench = try await Workbench.withStore()
    let set = try await bench.run("settings", "set", "quiethours", "22-7")
    #expect(set.output == "quietHours is 22:00-07:00.\n", "\(set)")
    let shown = try await bench.run("settings", "show", "quiet-hours")
    #expect(shown.output == "quietHours  22:00-07:00\n", "\(shown)")
    let json = try await bench.json("settings", "show", "QUIETHOURS")["settings"]
    #expect(json?["quietHours"]?.text == "22:00-07:00" && json?["digest"] == nil)
  }

  @Test("init without --replica takes the name of the device")
  func nameOfHost() async throws {
    let bench = try Workbench()
    var bytes = [CChar](repeating: 0, count: 256)
    #expect(gethostname(&bytes, 255) == 0)
    let host = bytes.prefix { $0 != 0 && $0 != 46 }.map { UInt8(bitPattern: $0) }
    let name = String(decoding: host, as: UTF8.self)
    let made = try await bench.run("init")
    if name == "localhost" || name.isEmpty {
      #expect(made.status == 64 && made.errors.contains("give one such as --replica phone"))
    } else {
      #expect(made.status == 0 && made.output.contains("replica \(name) of store"), "\(made)")
    }
  }

  @Test("restore --until takes a date, which is included, and says until when")
  func restoreUntil() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk")
    let later = "2026-11-24T12:00:00+01:00"
    try await bench.run("done", "Walk", now: later)
    try await bench.run("backup", bench.path("backup"), now: later)
    let restored = try await bench.run(
      "restore", bench.path("backup"), bench.path("old"), "--until", "yesterday", now: later)
    #expect(
      restored.output.hasPrefix("Restored ")
        && restored.output.contains(" events until Mon 23 Nov 23:59 to "), "\(restored)")
    let entries = try await bench.json("entry", "list", "Walk", store: "old", now: later)["entries"]
    #expect(entries?.list.isEmpty == true)
    let all = try await bench.run(
      "restore", bench.path("backup"), bench.path("all"), "--until", "today", now: later)
    #expect(all.status == 0, "\(all)")
    let kept = try await bench.json("entry", "list", "Walk", store: "all", now: later)["entries"]
    #expect(kept?.list.count == 1)
  }
}
