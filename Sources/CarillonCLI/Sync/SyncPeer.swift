import Carillon
import CarillonAccess
import CarillonDocuments
import Foundation

/// The replica to sync a store with.
enum SyncPeer: Sendable {
  case directory(URL)
  case remote(RemoteAddress)
  case service(ServiceURL)

  /// Parses an argument: an address if it begins with `ssh://` or `https://`, else a directory.
  init(_ text: String) throws(CommandFailure) {
    if text.hasPrefix("ssh://") {
      self = .remote(try RemoteAddress(text))
    } else if text.hasPrefix("https://") || text.hasPrefix("http://") {
      self = .service(try ServiceURL(text))
    } else if text.contains("://") {
      throw .usage(
        "\(text): a peer must be a directory, or an ssh:// or https:// address",
        hint: "give a directory's path, ssh://[user@]host[:port]/path, or https://host[:port]")
    } else if let address = Self.address(ofCopyForm: text) {
      throw .usage(
        "\(text): a peer must be a directory, or an ssh:// or https:// address",
        hint: "for one on another computer, give \(address); for a directory, ./\(text)")
    } else {
      self = .directory(URL(filePath: text, directoryHint: .isDirectory))
    }
  }

  /// Creates the only service that a store has joined.
  ///
  /// - Parameters:
  ///   - verb: The verb that needs a peer.
  ///   - naming: How to name one.
  /// - Throws: A usage error if it has joined none or several; `notFound` if there is no store.
  init(joinedBy store: URL, _ call: Call, for verb: String, naming: String) async throws {
    let files = try RemoteService.files(of: store)
    if files.isEmpty { try await call.requireStore(at: store) }
    guard files.count == 1 else {
      let services = try files.map { try RemoteService(at: $0).address.absoluteString }
      throw CommandFailure.usage(
        "\(verb) needs a peer: this store has joined \(files.isEmpty ? "no service" : "several")",
        hint: files.isEmpty ? naming : "name one: " + services.joined(separator: ", "))
    }
    self = .service(ServiceURL(try RemoteService(at: files[0])))
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

  /// The longest time between two attempts to reach a peer that was out of reach.
  ///
  /// An attempt of ssh asks the other computer to authenticate. The one for a service lasts for
  /// seconds itself.
  var maxPause: Duration {
    if case .service = self { .seconds(1) } else { .seconds(60) }
  }

  /// The name for messages.
  var name: String {
    switch self {
    case .directory(let directory): directory.path
    case .remote(let address): address.text
    case .service(let address): address.text
    }
  }
}

/// A connection to an open peer, for any number of consecutive syncs.
struct PeerConnection: Sendable {
  /// Syncs once.
  var sync: @Sendable (@escaping @Sendable (SyncProgress) -> Void) async throws -> SyncReport
  /// The peer's store, if this process has opened it.
  let store: Store?
  /// The news of any other peer, if they were asked for.
  let news: PeerNews?
  /// Returns the use of a hub's quota of bytes, if the hub has said that it is nearly used up.
  var byteUse: @Sendable () -> ByteUse? = { nil }
}

/// The intervals of a sync, and whether it audits.
struct SyncPace: Sendable {
  /// Whether both sides recompute all IDs.
  var audits = false
  /// Whether the connection is kept for further syncs.
  var watches = false
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
      let result = try await call.withStore(at: directory, mayLackKeys: true) { peer in
        try await body(
          PeerConnection(
            sync: { progress in
              try await Self.naming(own, peer) {
                try await own.sync(with: peer, audits: pace.audits, progress: progress)
              }
            }, store: peer, news: nil))
      }
      return (result, nil)
    case .remote(let address):
      let news = pace.watches ? PeerNews() : nil
      return try await RemoteConnection(address, stallInterval: pace.stallInterval)
        .run(news: news) { try await body(connection(from: own, over: $0, pace, news)) }
    case .service(let address):
      let news = pace.watches ? PeerNews() : nil
      let link = try LinkConnection(
        address, of: own.directory, own.id, stallInterval: pace.stallInterval)
      let result = try await link.run(news: news) {
        var connection = connection(from: own, over: $0, pace, news)
        connection.byteUse = { link.byteUse }
        connection.sync = { [sync = connection.sync] progress in
          let report = try await sync(progress)
          link.isAccepted()
          return report
        }
        return try await body(connection)
      }
      return (result, nil)
    }
  }

  /// Calls a function that syncs two directories.
  ///
  /// - Throws: The error of `body`; if the stores are unrelated, with the command that joins them.
  private static func naming<Result>(
    _ own: Store, _ peer: Store, _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      return try await body()
    } catch let error as StoreError where error.code == .otherStore {
      var failure = CommandFailure(store: error)
      let words = ["carillon", "join-store"] + [own, peer].map(\.directory.relativePath)
      failure.hint =
        "use a replica of this store; or join the two permanently, by the command "
        + ShellWord.joined(words)
      throw failure
    }
  }

  private func connection(
    from own: Store, over transport: PipeTransport, _ pace: SyncPace, _ news: PeerNews?
  ) -> PeerConnection {
    let options = SyncOptions(audits: pace.audits)
    return PeerConnection(
      sync: { try await own.sync(over: transport, options: options, progress: $0) }, store: nil,
      news: news)
  }
}
