import Foundation
import Testing

/// A flipped bit in the log, read by the verbs after the projections are gone.
struct DamagedEventVerbTests {
  @Test("No verb shows a damaged event, and status and rebuild report it")
  func reported() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Findable", "--at", "17:00")
    #expect(
      try await bench.run("clone", bench.path("phone"), bench.path("other"), "--replica", "other")
        .status == 0)
    try await bench.run("sync", bench.path("other"))
    let intact = try await bench.digest()
    try bench.damage("Findable")
    for verb in [["habit", "list"], ["pending"], ["log"], ["export"]] {
      try bench.removeTables()
      let answer = try await bench.start(verb).answer()
      #expect(!answer.output.contains("indable"), "\(verb) \(answer)")
    }
    try bench.removeTables()
    let list = try await bench.run("habit", "list")
    #expect(list.errors.contains("damaged"), "\(list)")
    let status = try await bench.run("status")
    #expect(status.output.contains("1 event is damaged in this log"), "\(status)")
    #expect(status.output.contains("carillon sync A B --audit"), "\(status)")
    #expect(try await bench.json("status")["damaged"] == .number(1))
    let rebuild = try await bench.run("rebuild")
    #expect(rebuild.status == 1 && rebuild.output.contains("treated as missing: 1 event"))
    let check = try await bench.run("rebuild", "--check")
    #expect(check.status == 1 && check.output.contains("treated as missing: 1 event"), "\(check)")
    let until = try await bench.run("rebuild", "--until", Workbench.now)
    #expect(until.status == 0 && until.output.contains("treated as missing: 1 event"), "\(until)")
    #expect(try await bench.json("rebuild", "--until", Workbench.now)["damaged"]?.number == 1)
    let before = try await bench.json("rebuild", "--until", "2026-11-01T00:00:00Z")
    #expect(before["damaged"]?.number == 0 && before["events"]?.number == 0, "\(before)")
    let sync = try await bench.run("sync", bench.path("other"), "--audit")
    #expect(sync.status == 0, "\(sync)")
    #expect(try await bench.digest() == intact)
    #expect(try await bench.run("rebuild", "--check").status == 0)
    #expect(try await bench.run("habit", "list").output.contains("Findable"))
  }

  @Test("If the log is damaged and the projections are not, no hint suggests a rebuild")
  func tablesRight() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Findable", "--at", "17:00")
    _ = try await bench.run("rebuild", "--check")
    try bench.damage("Findable")
    let check = try await bench.run("rebuild", "--check")
    #expect(check.status == 1 && check.output.contains("Damaged in the log"), "\(check)")
    #expect(check.output.contains("sync PEER --audit"), "\(check)")
    #expect(!check.output.contains("carillon rebuild"), "\(check)")
    #expect(try await bench.run("habit", "list").output.contains("Findable"))
    let export = try await bench.run("export")
    #expect(export.status == 1 && export.errors.contains("1 event"), "\(export)")
  }

  @Test("verify names an event without content, checks everything else, and exits with 1")
  func missing() async throws {
    let bench = try await Workbench.withStore()
    let habit = try await bench.addHabit("Findable", "--at", "17:00")
    try await bench.run("done", habit)
    try bench.copy("phone", to: "backup")
    try bench.damage("Findable")
    try await bench.run("clone", bench.path("phone"), bench.path("clone"), "--replica", "clone")
    let verified = try await bench.run("verify", store: "clone")
    #expect(verified.status == 1, "\(verified)")
    #expect(verified.output.contains("the content of phone@2 is missing"), "\(verified)")
    #expect(verified.output.contains("No other problems."), "\(verified)")
    #expect(verified.output.contains("that has the content: carillon sync PEER"), "\(verified)")
    let document = try await bench.json("verify", store: "clone")
    #expect(document["missing"]?.number == 1 && document["problems"]?.list.count == 1)
    let sync = try await bench.run("sync", bench.path("backup"), store: "clone")
    #expect(sync.status == 0, "\(sync)")
    #expect(try await bench.run("verify", store: "clone").status == 0)
  }
}

extension Workbench {
  /// Changes the first letter of a text at each place in a closed store's log.
  func damage(_ text: String) throws {
    let file = url("phone/log/data.mdb")
    var data = try Data(contentsOf: file)
    try #require(data.range(of: Data(text.utf8)) != nil)
    while let range = data.range(of: Data(text.utf8)) {
      data[range.lowerBound] ^= 1
    }
    try data.write(to: file)
  }

  fileprivate func removeTables() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: path("phone"))
    where name.contains(".sqlite") {
      try FileManager.default.removeItem(at: url("phone/" + name))
    }
  }
}
