#if Service
import CarillonModel
import Foundation
import Testing

@testable import CarillonService

/// The files of the page, and how they are served.
@Suite struct PageFileTests {
  private static let directory = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Sources/CarillonService/Page/Assets")

  /// The paths of all files in the directory.
  private static let paths = {
    let names = FileManager.default.enumerator(atPath: directory.path)?.compactMap { $0 as? String }
    return (names ?? []).filter { $0.contains(".") }.sorted()
  }()

  @Test("Every file of the directory is served, and no other")
  func list() {
    #expect(PageFiles.all.map(\.path).sorted() == Self.paths)
  }

  @Test("A file has its type, a tag, the content policy and no sniffing, without a token")
  func headers() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let types = [
      "/": "text/html; charset=utf-8", "/page/app.js": "text/javascript; charset=utf-8",
      "/page/styles/base.css": "text/css; charset=utf-8", "/page/icon.svg": "image/svg+xml",
      "/page/icon-192.png": "image/png", "/page/manifest.webmanifest": "application/manifest+json",
    ]
    for (path, type) in types {
      let answer = try await service.ask("GET", path, [])
      #expect(answer.status == 200 && answer.headers["content-type"] == type, "\(path) \(answer)")
      #expect(answer.headers["x-content-type-options"] == "nosniff")
      #expect(answer.headers["referrer-policy"] == "no-referrer")
      let policy = try #require(answer.headers["content-security-policy"])
      #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
      let tag = try #require(answer.headers["etag"])
      let again = try await service.ask("GET", path, ["If-None-Match: \(tag)"])
      #expect(again.status == 304 && again.body.isEmpty)
    }
    let other = try await service.ask("GET", "/page/none.js", [])
    #expect(other.status == 401 || other.status == 404)
  }

  @Test("Each kind of event has words on the page", arguments: Payload.Kind.allCases)
  func eventWords(_ kind: Payload.Kind) throws {
    let file = Self.directory.appending(path: "core/event-words.js")
    #expect(try String(contentsOf: file, encoding: .utf8).contains("\n  '\(kind.name)': "))
  }

  @Test("No file makes elements of text, runs text as code, or loads anything from elsewhere")
  func safety() throws {
    let patterns = [
      "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser",
      "createContextualFragment", "srcdoc", "eval(", "new Function", " style=\"", "onclick=\"",
    ]
    for path in Self.paths where !path.hasSuffix(".png") {
      let text = try String(contentsOf: Self.directory.appending(path: path), encoding: .utf8)
      for pattern in patterns { #expect(!text.contains(pattern), "\(path): \(pattern)") }
      let addresses = text.matches(of: /https?:\/\/[^'"\s]+/).map { String($0.output) }
      #expect(addresses.allSatisfy { $0 == "http://www.w3.org/2000/svg" }, "\(path): \(addresses)")
      let long = text.split(separator: "\n").filter { $0.count > 100 }
      #expect(long.isEmpty, "\(path) has lines of more than 100 columns: \(long)")
    }
  }
}
#endif
