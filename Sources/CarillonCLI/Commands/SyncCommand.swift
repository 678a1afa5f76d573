import ArgumentParser
import Carillon
import CarillonDocuments
import Foundation

/// `carillon sync`: exchanges the events that each of two replicas lacks.
struct SyncCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Exchange the events that each of two replicas lacks.",
    usage: """
      carillon sync [PEER] --store DIR
             carillon sync A B
             carillon sync --stdio DIR
      """,
    discussion: """
      A peer is a directory, a service or a replica on another computer.

      https://host[:port][/path] is a service (see the help of the serve command). The credential \
      is that of the join command, or else the value of CARILLON_CREDENTIAL. A store that joined \
      one service syncs with it if no peer is given.

      ssh://[user@]host[:port]/path is a replica on another computer, on which carillon must be \
      installed. /~/path is relative to the home directory there. CARILLON_SSH sets the command \
      that connects (default: ssh), and CARILLON_REMOTE sets the path of carillon there.

      With --watch, both are kept in sync until Ctrl-C. Each sync that changed something is \
      reported, and the total at the end; with --json, each is one line, and the last one is \
      {"total":{...}}. An unreachable service is tried again each second, and any other peer after \
      at most a minute.

      Examples:
        carillon sync phone watch
        carillon sync --store phone --watch
        carillon sync ssh://me@host/~/phone --store phone --watch
        carillon sync phone watch --audit
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(
    help: ArgumentHelp(
      "The peer to sync --store with; or a directory and its peer.", valueName: "peer"),
    completion: .directory)
  var peers: [String] = []

  @Option(
    help: ArgumentHelp(
      "Respond to an initiator on standard input and output, for the store in this directory.",
      valueName: "dir"),
    completion: .directory)
  var stdio: String?

  @Flag(help: "Keep running, and sync again whenever either side changes.") var watch = false

  @Flag(
    help: "Check all events on both sides, and repair damaged ones from the other side's copy.")
  var audit = false

  @Option(
    help: ArgumentHelp(
      "With --watch, sync at least this often, 1s to 20s (default: 5s).", valueName: "5s"))
  var every: Given<DurationText>?

  @Option(
    help: ArgumentHelp(
      "Give up when a peer on another computer sends nothing for this long, 1s to 1h (default: "
        + "30s).",
      valueName: "30s"))
  var stallTimeout: Given<DurationText>?

  func run(_ call: Call) async throws {
    let pace = try pace()
    if let stdio { return try await answer(stdio, call, pace) }
    guard peers.count <= 2 else {
      throw CommandFailure.usage(
        "sync takes one peer with --store, or a directory and its peer",
        hint: "name both: carillon sync A B")
    }
    let peer: SyncPeer =
      if let last = peers.last {
        try SyncPeer(last)
      } else {
        try await SyncPeer(
          joinedBy: try call.directory(), call, for: "sync",
          naming: "name a peer: carillon sync --store A PEER; or join a service: carillon join "
            + "LINK A")
      }
    let first = peers.count == 2 ? try SyncPeer(peers[0]) : .directory(try call.directory())
    guard case .directory(let directory) = first else {
      throw CommandFailure.usage(
        "\(peers[0]): the first of two peers must be a directory",
        hint: "swap them: carillon sync DIR \(peers[0])")
    }
    if case .directory(let other) = peer,
      other.resolvingSymlinksInPath().path == directory.resolvingSymlinksInPath().path
    {
      throw CommandFailure.usage(
        "\(other.path) is this store itself", hint: "name the other: carillon sync A B")
    }
    try await call.withStore(at: directory, mayLackKeys: true) { store in
      if watch {
        var watcher = SyncWatcher(
          call, store, peer, pace, storeName: peers.count == 2 ? peers[0] : nil)
        return try await watcher.run()
      }
      let before = try store.lastPosition()
      let bar = ProgressBar("syncing", isQuiet: call.output.isQuiet)
      defer { bar.finish() }
      let ((report, use), problemThere) = try await peer.withConnection(
        from: store, call, pace
      ) { connection in
        (try await connection.sync { bar.update($0) }, connection.byteUse())
      }
      bar.finish()
      for warning in report.warnings { call.output.warn(warning) }
      if let use { call.output.note(use.notice) }
      let problem = report.problem(hint: Self.repairHint) ?? problemThere
      let conflicts = try await call.conflicts(
        broughtBy: report, to: store, since: before, named: peers.count == 2 ? peers[0] : nil)
      var json = report.json.merging(["conflicts": .array(conflicts) { $0.json }])
        .merging(use.member)
      var text = report.text + conflicts.map { $0.text + "\n" }.joined()
      if audit, problem == nil {
        let count = try store.lastPosition().rawValue
        json = json.merging(["audited": .integer(count)])
        text +=
          "Checked \(Int(clamping: count).counted("event")) on both sides: all are intact, and "
          + "both sides have the same state.\n"
      }
      try call.output.answer(json, recorded: report.hasMoved) { call.output.isQuiet ? "" : text }
      if let problem { throw problem }
    }
  }

  /// The hint for events that a sync left out or could not repair.
  static let repairHint =
    "repair both from a third replica that has these events: carillon sync A B --audit"

  private func pace() throws -> SyncPace {
    var pace = SyncPace()
    if audit && watch {
      throw CommandFailure.usage(
        "--audit and --watch cannot be used together", hint: "leave out --watch")
    }
    (pace.audits, pace.watches) = (audit, watch)
    if every != nil && !watch {
      throw CommandFailure.usage(
        "--every requires --watch", hint: "add --watch, or leave out --every")
    }
    // At most 20 s, which is below the stall interval of the peer.
    if let every = try every?.duration(for: "--every", in: 1...20, such: "1s") {
      pace.every = every.duration
    }
    let stall = try stallTimeout?.duration(for: "--stall-timeout", in: 1...3_600, such: "30s")
    if let stall { pace.stallInterval = stall.duration }
    return pace
  }

  // MARK: -

  /// Responds to the initiator that started this process, until standard input ends.
  private func answer(_ path: String, _ call: Call, _ pace: SyncPace) async throws {
    guard peers.isEmpty, !watch, !audit else {
      throw CommandFailure.usage(
        "--stdio cannot be used with a peer, --watch or --audit, which the initiator chooses",
        hint: "give the directory only: carillon sync --stdio DIR")
    }
    // If the initiator goes away, a write fails with an error, even if standard error is gone too.
    signal(SIGPIPE, SIG_IGN)
    // From here on only messages can reach the initiator.
    let (reading, writing) = (dup(STDIN_FILENO), dup(STDOUT_FILENO))
    dup2(STDERR_FILENO, STDOUT_FILENO)
    let directory = URL(filePath: path, directoryHint: .isDirectory)
    try await call.withStore(at: directory, mayLackKeys: true) { store in
      let transport = try PipeTransport(
        reading: reading, writing: writing, stallInterval: pace.stallInterval, naming: store.id)
      let result: SyncResponse
      do {
        result = try await answer(with: store, over: transport)
      } catch {
        await transport.close()
        throw error
      }
      await transport.close()
      // These are notices on standard error, and are lost if it is gone.
      for identity in result.newIdentities { call.output.note(identity.text) }
      if let problem = result.problem(in: path) { throw problem }
    }
  }

  /// Answers until the transport ends, and reports news meanwhile if the initiator asks for them.
  private func answer(
    with store: Store, over transport: PipeTransport
  ) async throws -> SyncResponse {
    // A report that fails breaks the transport, so that the answers fail too.
    let news = Task {
      guard try await transport.isAskedForNews() else { return }
      for await _ in store.changes() { try await transport.reportNews() }
    }
    defer { news.cancel() }
    return try await store.answer(over: transport)
  }
}
