import Carillon
import Foundation

/// The replica to sync a store with.
enum SyncPeer: Sendable {
  case directory(URL)
  case remote(RemoteAddress)

  /// Parses an argument: an address if it begins with `ssh://`, else a directory.
  init(_ text: String) throws(CommandFailure) {
    if text.hasPrefix("ssh://") {
      self = .remote(try RemoteAddress(text))
    } else if text.contains("://") {
      throw .usage(
        "\(text): a peer must be a directory or an ssh:// address",
        hint: "give a directory's path, or ssh://[user@]host[:port]/path")
    } else if let address = Self.address(ofCopyForm: text) {
      throw .usage(
        "\(text): a peer must be a directory or an ssh:// address",
        hint: "for one on another computer, give \(address); for a directory, ./\(text)")
    } else {
      self = .directory(URL(filePath: text, directoryHint: .isDirectory))
    }
  }

  /// Returns the address that a person means by `[user@]host:path`, as git and scp take it; nil for
  /// a directory that exists, and for any other text.
  private static func address(ofCopyForm text: String) -> String? {
    guard let colon = text.firstIndex(of: ":"), colon > text.startIndex,
      !text[..<colon].contains("/"), !FileManager.default.fileExists(atPath: text)
    else { return nil }
    let path = text[colon...].dropFirst()
    return "ssh://\(text[..<colon])/\(path.hasPrefix("/") ? path.dropFirst() : "~/" + path)"
  }

  /// The name for messages.
  var name: String {
    switch self {
    case .directory(let directory): directory.path
    case .remote(let address): address.text
    }
  }
}

/// A connection to an open peer, for any number of consecutive syncs.
struct PeerConnection: Sendable {
  /// Syncs once.
  let sync: @Sendable (@escaping @Sendable (SyncProgress) -> Void) async throws -> SyncReport
  /// The peer's store, if it is on this computer.
  let store: Store?
}

/// The intervals of a sync, and whether it audits.
struct SyncPace: Sendable {
  /// Whether both sides recompute all IDs.
  var audits = false
  /// The longest time between two syncs of a watch.
  var every = Duration.seconds(5)
  /// How long a peer on another computer may be silent.
  var stallInterval = PipeTransport.defaultStallInterval
}

extension SyncPeer {
  /// Opens the peer, calls `body`, and closes it.
  ///
  /// - Returns: The result of `body`, and the failure of a peer on another computer, if any.
  func withConnection<Result: Sendable>(
    from own: Store, _ call: Call, _ pace: SyncPace,
    _ body: (PeerConnection) async throws -> Result
  ) async throws -> (result: Result, problemThere: CommandFailure?) {
    switch self {
    case .directory(let directory):
      let result = try await call.withStore(at: directory) { peer in
        try await body(
          PeerConnection(
            sync: { try await own.sync(with: peer, audits: pace.audits, progress: $0) }, store: peer
          ))
      }
      return (result, nil)
    case .remote(let address):
      return try await RemoteConnection(address, stallInterval: pace.stallInterval).run {
        transport in
        let options = SyncOptions(audits: pace.audits)
        return try await body(
          PeerConnection(
            sync: { try await own.sync(over: transport, options: options, progress: $0) },
            store: nil))
      }
    }
  }
}
