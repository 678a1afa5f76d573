#if Service
import CarillonTestSupport
import Foundation
import Testing

/// The demo, which serves its phone.
@Suite(.enabled(if: Shell.has("python3"), "python3 is not installed")) struct DemoTests {
  @Test(
    "The demo serves its phone, and ends with its service and its files at a signal",
    arguments: [SIGINT, SIGTERM])
  func serve(signal: Int32) async throws {
    let bench = try await ServiceBench.make()
    let programs = BuiltProgram.url("carillon").deletingLastPathComponent().path
    let demo = try await StartedProgram(
      URL(filePath: Repository.file("tools/demo")), ["--serve", "--programs", programs], in: bench)
    while !demo.output.contains("/#token="), demo.process.isRunning {
      try await Task.sleep(for: .milliseconds(20))
    }
    let page = try #require(
      demo.output.firstMatch(of: /Serving (.*)\/phone at (http:.*)\/#token=(.*)\n/),
      "\(demo.errors)")
    let (directory, address) = (String(page.output.1), String(page.output.2))
    let asked = try await Shell.run(
      "curl --silent --fail -H \"Authorization: Bearer \(page.output.3)\" \(address)/v1/habits",
      in: bench)
    #expect(asked.output.contains("Evening walk"), "\(asked)")
    demo.signal(signal)
    let ended = try await demo.end()
    #expect(ended.status == 0 && !ended.wasSignalled, "\(ended)")
    #expect(!FileManager.default.fileExists(atPath: directory))
    let after = try await Shell.run("curl --silent \(address)/livez", in: bench)
    #expect(after.status == 7, "\(after)")
  }

  @Test("Programs that are not there are refused", arguments: ["nowhere", "."])
  func noPrograms(directory: String) async throws {
    let bench = try await ServiceBench.make()
    let demo = try await StartedProgram(
      URL(filePath: Repository.file("tools/demo")), ["--programs", directory], in: bench)
    let ended = try await demo.end()
    #expect(ended.status == 66 && ended.errors.contains("there is no "), "\(ended)")
  }
}
#endif
