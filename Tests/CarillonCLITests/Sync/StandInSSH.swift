import CarillonDocuments
import Foundation
import Testing

@testable import CarillonCLI

/// A script in place of ssh, which runs the command for the other computer here.
struct StandInSSH: Sendable {
  private let bench: Workbench

  /// - Parameter before: Shell commands to run first; `$0` is the script.
  init(_ bench: Workbench, before: String = "") throws {
    self.bench = bench
    try bench.write(
      """
      #!/bin/sh
      while [ $# -gt 1 ]; do shift; done
      \(before)
      exec /bin/sh -c "exec $1"
      """, to: "stand-in-ssh")
    // Named by the bench's path, which contains characters that a shell interprets.
    let transport = bench.url("linked-carillon")
    _ = try? FileManager.default.removeItem(at: transport)
    try FileManager.default.createSymbolicLink(at: transport, withDestinationURL: Executable.url)
  }

  /// The environment that makes `carillon sync ssh://...` use the script.
  var variables: [String: String] {
    [
      "CARILLON_SSH": ShellWord.joined(["/bin/sh", bench.path("stand-in-ssh")]),
      "CARILLON_REMOTE": ShellWord.quoted(bench.path("linked-carillon")),
      "HOME": bench.path("."),
    ]
  }

  /// Syncs with another store of the bench.
  func sync(_ peer: String, _ flags: String..., store: String = "phone") async throws -> Answer {
    try await start(peer, flags, store: store).answer()
  }

  /// Starts a sync with another store of the bench.
  func start(_ peer: String, _ flags: [String] = [], store: String = "phone")
    async throws -> Child
  {
    try await bench.start(
      ["sync", try bench.address(of: peer)] + flags, store: store, with: variables)
  }
}

extension Workbench {
  /// The address of a store on a remote computer, which is this one.
  func address(of store: String, on host: String = "ssh://host") throws -> String {
    let path = path(store).addingPercentEncoding(withAllowedCharacters: .urlPathAllowed)
    return try host + #require(path)
  }

  /// Expects the store `phone` and another one to have the same events and the same state.
  func expectSame(_ other: String, at location: SourceLocation = #_sourceLocation) async throws {
    let (own, others) = (try await ids(), try await ids(other))
    #expect(own == others, sourceLocation: location)
    let (ownDigest, otherDigest) = (try await digest(), try await digest(other))
    #expect(ownDigest == otherDigest, sourceLocation: location)
  }
}
