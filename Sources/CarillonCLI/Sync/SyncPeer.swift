import Carillon
import Foundation

/// The replica that a store is synced with.
enum SyncPeer: Sendable {
  case directory(URL)
  case remote(RemoteAddress)

  /// Takes an argument: `ssh://` begins an address, everything else is a directory.
  init(_ text: String) throws(CommandFailure) {
    if text.hasPrefix("ssh://") {
      self = .remote(try RemoteAddress(text))
    } else if text.contains("://") {
      throw .usage(
        "\(text): only directories and ssh:// can be synced with",
        hint: "give a directory's path, or ssh://[user@]host[:port]/path")
    } else {
      self = .directory(URL(filePath: text, directoryHint: .isDirectory))
    }
  }

  /// What messages call it.
  var name: String {
    switch self {
    case .directory(let directory): directory.path
    case .remote(let address): address.text
    }
  }
}

/// A peer that is open: any number of syncs may follow one another.
struct PeerConnection: Sendable {
  /// Syncs once.
  let sync: @Sendable (@escaping @Sendable (SyncProgress) -> Void) async throws -> SyncReport
  /// The peer's store, where it is of this computer.
  let store: Store?
}

/// How patient a sync is, and how thorough.
struct SyncPace: Sendable {
  /// Whether all IDs are computed anew on both sides.
  var audits = false
  /// The longest time between two syncs of a watch.
  var every = Duration.seconds(5)
  /// How long a peer on another computer may be silent.
  var stallInterval = PipeTransport.defaultStallInterval
}

extension SyncPeer {
  /// Opens the peer, calls `body`, and closes it.
  ///
  /// - Returns: What `body` returns; and what a peer on another computer told as it closed.
  func withConnection<Result>(
    from own: Store, _ call: Call, _ pace: SyncPace,
    _ body: (PeerConnection) async throws -> Result
  ) async throws -> (result: Result, problemThere: CommandFailure?) {
    switch self {
    case .directory(let directory):
      let result = try await call.withStore(at: directory) { peer in
        try await body(
          PeerConnection(
            sync: { try await own.sync(with: peer, audits: pace.audits, $0) }, store: peer))
      }
      return (result, nil)
    case .remote(let address):
      return try await RemoteConnection(address, stallInterval: pace.stallInterval).run {
        transport in
        let options = SyncOptions(audits: pace.audits)
        return try await body(
          PeerConnection(
            sync: { try await own.sync(over: transport, options: options, $0) }, store: nil))
      }
    }
  }
}
