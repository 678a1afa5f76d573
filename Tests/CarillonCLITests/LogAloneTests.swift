import Foundation
import Testing

/// Verbs that read only the log need no projections.
struct LogAloneTests {
  /// Kinds of damage, each applied to the only projection file.
  enum Damage: String, CaseIterable {
    case none, missing, rubbish, folder
    /// The file is damaged, and no lock can be acquired to rebuild it.
    case unbuildable

    func happen(to file: URL) throws {
      switch self {
      case .none: return
      case .missing: try FileManager.default.removeItem(at: file)
      case .rubbish: try Data(repeating: 7, count: 9_000).write(to: file)
      case .folder, .unbuildable:
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
      }
      guard self == .unbuildable else { return }
      let lock = file.deletingLastPathComponent().appending(path: "projection-build.lock")
      if FileManager.default.fileExists(atPath: lock.path) {
        try FileManager.default.removeItem(at: lock)
      }
      try FileManager.default.createDirectory(at: lock, withIntermediateDirectories: false)
    }
  }

  @Test(
    "export, log and show answer the same with any tables and without, and make no file",
    arguments: Damage.allCases)
  func readers(_ damage: Damage) async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    // A second replica of the same name; its number is determined from the log.
    try await bench.run("clone", bench.path("phone"), bench.path("other"), "--replica", "phone")
    try await bench.run("sync", bench.path("other"))
    #expect(try await bench.run("status").status == 0)
    // After the projections' checkpoint, so that they do not have this event.
    try await bench.run("alerts", "on", store: "other")
    try await bench.run("sync", bench.path("other"))
    let verbs = [["export"], ["log", "--json"], ["show", "phone.2@1"], ["show", "4", "--json"]]
    func answers() async throws -> [String] {
      var answers: [String] = []
      for verb in verbs {
        let answer = try await bench.start(verb).answer()
        #expect(answer.status == 0 && answer.errors.isEmpty, "\(damage) \(verb): \(answer)")
        answers.append(answer.output)
      }
      return answers
    }
    let before = try await answers()
    #expect(before[0].contains(#""name":"phone.2""#))

    let directory = bench.url("phone")
    func names() throws -> [String] {
      try FileManager.default.subpathsOfDirectory(atPath: directory.path).sorted()
    }
    let file = try #require(try names().first { $0.hasSuffix(".sqlite") })
    try damage.happen(to: directory.appending(path: file))
    let left = try names()
    #expect(try await answers() == before)
    #expect(try names() == left)

    // For people, the log is listed with the titles that it has itself.
    let log = try await bench.run("log")
    #expect(log.status == 0 && log.output.contains("phone.2@1"), "\(log)")
    #expect(log.output.contains("Walk: "), "\(log)")
    #expect(
      log.errors.contains("may be listed by ID") == (damage == .unbuildable), "\(log)")
    #expect(try await bench.run("status").status == (damage == .unbuildable ? 74 : 0))
  }
}
