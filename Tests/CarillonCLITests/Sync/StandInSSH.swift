import Foundation
import Testing

@testable import CarillonCLI

/// A script that stands in for ssh: it runs the command that is meant for the other computer.
struct StandInSSH: Sendable {
  private let bench: Workbench

  /// - Parameter before: Shell commands that come first; `$0` is the script.
  init(_ bench: Workbench, before: String = "") throws {
    self.bench = bench
    try bench.write(
      """
      #!/bin/sh
      while [ $# -gt 1 ]; do shift; done
      \(before)
      exec /bin/sh -c "exec $1"
      """, to: "stand-in-ssh")
    // By the bench's name of it, which any shell must be given with care.
    let transport = bench.url("linked-carillon")
    _ = try? FileManager.default.removeItem(at: transport)
    try FileManager.default.createSymbolicLink(at: transport, withDestinationURL: Executable.url)
  }

  /// What makes `carillon sync ssh://...` use the script.
  var variables: [String: String] {
    [
      "CARILLON_SSH": CommandWords.joined(["/bin/sh", bench.path("stand-in-ssh")]),
      "CARILLON_REMOTE": CommandWords.quoted(bench.path("linked-carillon")),
      "HOME": bench.path("."),
    ]
  }

  /// Syncs with a store beside.
  func sync(_ peer: String, _ flags: String..., store: String = "phone") async throws -> Answer {
    try await start(peer, flags, store: store).answer()
  }

  /// Starts to sync with a store beside.
  func start(_ peer: String, _ flags: [String] = [], store: String = "phone") throws -> Child {
    try bench.start(
      ["sync", try bench.address(of: peer)] + flags, store: store, with: variables)
  }
}

extension Workbench {
  /// The address of a store on another computer, which is this one.
  func address(of store: String, on host: String = "ssh://host") throws -> String {
    let path = path(store).addingPercentEncoding(withAllowedCharacters: .urlPathAllowed)
    return try host + #require(path)
  }

  /// Expects the store `phone` and another to hold the same events and to come to the same state.
  func expectSame(_ other: String, at location: SourceLocation = #_sourceLocation) async throws {
    let (own, others) = (try await ids(), try await ids(other))
    #expect(own == others, sourceLocation: location)
    let (ownDigest, otherDigest) = (try await digest(), try await digest(other))
    #expect(ownDigest == otherDigest, sourceLocation: location)
  }
}
