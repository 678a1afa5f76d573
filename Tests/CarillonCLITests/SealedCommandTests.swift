import CarillonTestSupport
import Foundation
import Testing

/// Sealed stores on the command line.
struct SealedCommandTests {
  /// Creates a sealed store, and returns its recovery phrase.
  private static func make(_ bench: Workbench) async throws -> String {
    let made = try await bench.json(
      "init", "--sealed", "--replica", "phone", "--store", bench.path("phone"))
    let words = made["recoveryPhrase"]?.list ?? []
    try #require(words.count == 24, "\(made)")
    #expect(made["events"]?[0]?["type"]?.text == "device.described", "\(made)")
    return words.compactMap(\.text).joined(separator: " ")
  }

  @Test("init --sealed prints 24 words once, and status says that the store is sealed")
  func create() async throws {
    let bench = try Workbench()
    let answer = try await bench.run(
      "init", "--sealed", "--replica", "phone", "--store", bench.path("phone"))
    #expect(answer.status == 0 && answer.output.hasPrefix("Write down these 24 words"), "\(answer)")
    let lines = answer.output.split(separator: "\n").filter { $0.hasPrefix("  ") }
    #expect(lines.flatMap { $0.split(separator: " ") }.count == 24, "\(answer)")
    let status = try await bench.json("status")
    guard case .bool(true)? = status["sealed"] else {
      Issue.record("\(status)")
      return
    }
    #expect(status["epoch"]?.text?.hasPrefix("1-") == true)
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    let today = try await bench.run("today")
    #expect(today.output.contains("Walk"))
  }

  @Test("Without its keys, a store is an error that says what to do, and the words open it again")
  func recover() async throws {
    let bench = try Workbench()
    let words = try await Self.make(bench)
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    let before = try await bench.digest()
    try FileManager.default.removeItem(at: bench.url("phone/keys"))
    let lost = try await bench.run("today")
    #expect(lost.status == 77 && lost.errors.contains("its keys are not on this device"), "\(lost)")
    #expect(lost.errors.contains("with the recovery phrase: carillon recover"))
    let verified = try await bench.run("verify", "--full")
    #expect(verified.status == 0 && verified.output.contains("keys are not here"), "\(verified)")
    let backup = try await bench.run("backup", bench.path("b"))
    #expect(backup.status == 0, "\(backup)")
    let wrong = words.split(separator: " ").reversed().joined(separator: " ")
    let refused = try await bench.run("recover", input: wrong)
    #expect(refused.status == 65, "\(refused)")
    let opened = try await bench.run("recover", input: words)
    #expect(opened.status == 0 && opened.output.hasPrefix("Opened store "), "\(opened)")
    #expect(try await bench.digest() == before)
  }

  @Test("Without keys, verbs that need no content answer, and say what they cannot show")
  func withoutKeys() async throws {
    let bench = try Workbench()
    _ = try await Self.make(bench)
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    try await bench.run("habit", "delete", "Walk", "--erase", "--yes")
    try await bench.run("clone", bench.path("phone"), bench.path("hub"), "--without-keys")
    for verb in [["status"], ["log"], ["show", "1"], ["replicas"], ["compact"]] {
      let answer = try await bench.start(verb, store: "hub").answer()
      #expect(answer.status == 0, "\(verb): \(answer)")
      let said = answer.output + answer.errors
      #expect(said.contains("keys are not"), "\(verb): \(answer)")
      #expect(!said.contains("Walk") && !said.contains("phone"), "\(verb): \(answer)")
    }
    let log = try await bench.run("log", store: "hub")
    for name in ["epoch.started", "erasure.listed", "erased", "unopened"] {
      #expect(log.output.contains(name), "\(name): \(log)")
    }
    let own = try await bench.run("log", "--type", "deviceKey.stated")
    #expect(own.output.contains("phone@2"), "\(own)")
    for verb in ["today", "pending", "rebuild"] {
      let refused = try await bench.run(verb, store: "hub")
      #expect(refused.status == 77, "\(verb): \(refused)")
    }
  }

  @Test(
    "seal creates a sealed store with the same history, and says who can still read the old one")
  func seal() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    try await bench.run("done", "Walk")
    let sealed = try await bench.run("seal", bench.path("new"))
    #expect(sealed.status == 0 && sealed.output.contains("can still read"), "\(sealed)")
    let (before, after) = (
      try await bench.run("today"), try await bench.run("today", store: "new")
    )
    #expect(before.output == after.output)
    let again = try await bench.run("seal", bench.path("third"), store: "new")
    #expect(again.status == 65 && again.errors.contains("is sealed already"), "\(again)")
  }

  @Test("A creation that is killed leaves nothing or a store, and can be repeated")
  func killed() async throws {
    let seed = TestSeed.value
    var random = SeededGenerator(seed: seed)
    for round in 0..<6 {
      let bench = try Workbench()
      let arguments = ["init", "--sealed", "--replica", "phone", "--store", bench.path("phone")]
      let child = try await bench.start(arguments)
      try await Task.sleep(for: .microseconds(UInt32.random(in: 0..<60_000, using: &random)))
      child.killGroup()
      _ = try await child.answer()
      let status = try await bench.run("status")
      if status.status == 0 { continue }
      #expect(status.status == 66, "seed \(seed), round \(round): \(status)")
      let again = try await bench.start(arguments).answer()
      #expect(again.status == 0, "seed \(seed), round \(round): \(again)")
    }
  }
}
