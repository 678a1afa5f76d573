#if Service
import Foundation
import Testing

/// The recipe of the image, as far as it can be checked without an engine.
@Suite struct ContainerfileTests {
  /// An instruction and its words, with continued lines joined.
  private static func instructions() throws -> [(name: String, rest: String)] {
    try Repository.text("Containerfile").split(separator: "\n").filter { !$0.hasPrefix("#") }
      .joined(separator: "\n").replacing(/\\\n\s*/, with: "").split(separator: "\n").map { line in
        let parts = line.split(separator: " ", maxSplits: 1)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
      }
  }

  @Test("Every source that is copied exists, and is not left out by the ignore file")
  func sources() throws {
    let kept = try Repository.text(".containerignore").split(separator: "\n")
      .filter { $0.hasPrefix("!") }.map { String($0.dropFirst()) }
    let copies = try Self.instructions().filter { $0.name == "COPY" }
    #expect(copies.count > 3)
    for copy in copies where !copy.rest.hasPrefix("--from=") {
      for source in copy.rest.split(separator: " ").dropLast().map(String.init) {
        #expect(FileManager.default.fileExists(atPath: Repository.file(source)), "\(source)")
        #expect(kept.contains(source), "\(source)")
      }
    }
  }

  @Test("The last stage runs as another user than root, has a volume, a health check and a signal")
  func lastStage() throws {
    let all = try Self.instructions()
    let stages = all.indices.filter { all[$0].name == "FROM" }
    #expect(stages.count == 2)
    let last = all[stages[1]...]
    #expect(last.first { $0.name == "USER" }?.rest == "10001:10001")
    #expect(last.contains { $0.name == "VOLUME" && $0.rest == "/data" })
    #expect(last.contains { $0.name == "HEALTHCHECK" && $0.rest.contains("/livez") })
    #expect(last.contains { $0.name == "STOPSIGNAL" && $0.rest == "SIGTERM" })
    // After the user was set, nothing can change the system.
    let user = try #require(last.firstIndex { $0.name == "USER" })
    #expect(!all[user...].contains { ["RUN", "COPY", "ADD"].contains($0.name) })
    #expect(!all.contains { $0.rest.localizedCaseInsensitiveContains("password") })
  }

  @Test("The build has the libraries that it needs, and the image those that the programs load")
  func libraries() throws {
    let installs = try Self.instructions().filter { $0.rest.contains("apt-get install") }
    try #require(installs.count == 2)
    let needed = try Repository.text("tools/prepare").matches(of: /\w+:([\w-]+-dev)\b/)
    #expect(needed.count > 3)
    for library in needed {
      #expect(installs[0].rest.contains(library.output.1), "\(library.output.1)")
    }
    for library in ["libpq5", "libqrencode4"] {
      #expect(installs[1].rest.contains(library), "\(library)")
    }
  }

  @Test("Every command is accepted by the shell, and names packages and tools that exist")
  func commands() async throws {
    let bench = try await ServiceBench.make()
    for run in try Self.instructions() where run.name == "RUN" {
      let parsed = try await Shell.run("sh -n -c \"$TEXT\"", in: bench, ["TEXT": run.rest])
      #expect(parsed.status == 0, "\(run.rest) \(parsed)")
      for tool in run.rest.matches(of: /\btools\/[\w-]+/) {
        #expect(FileManager.default.isExecutableFile(atPath: Repository.file(String(tool.output))))
      }
    }
  }
}
#endif
