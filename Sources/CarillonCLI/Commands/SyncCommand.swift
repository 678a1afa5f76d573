import ArgumentParser
import Carillon
import Foundation

/// `carillon sync`: two replicas exchange what each lacks.
struct SyncCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Exchange what each of two replicas lacks.",
    usage: """
      carillon sync PEER --store DIR
             carillon sync A B
             carillon sync --stdio DIR
      """,
    discussion: """
      A peer is a directory, or ssh://[user@]host[:port]/path for one on another computer, where \
      carillon must be installed; /~/path begins at the home directory there. CARILLON_SSH names \
      the command that connects, ssh by default; CARILLON_REMOTE names carillon there.

      With --watch both are kept together until Ctrl-C: each sync that moved something is told, \
      and at the end the total. With --json that is one line each, the last one {"total":{...}}. \
      A peer out of reach is tried again after pauses of 1 to 60 seconds.
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(
    help: ArgumentHelp("The peer of --store; or a directory and its peer.", valueName: "peer"),
    completion: .directory)
  var peers: [String] = []

  @Option(
    help: ArgumentHelp(
      "Answer an initiator on standard input and output, for this store.", valueName: "dir"),
    completion: .directory)
  var stdio: String?

  @Flag(help: "Go on, and sync again whenever either side changed.") var watch = false

  @Flag(
    help: "Compute all IDs anew on both sides; what is damaged is repaired from the other's copy.")
  var audit = false

  @Option(
    help: ArgumentHelp(
      "With --watch, sync at least this often: 1s to 20s, 5s by default.", valueName: "5s"))
  var every: Given<DurationText>?

  @Option(
    help: ArgumentHelp(
      "How long a peer on another computer may be silent: 1s to 1h, 30s by default.",
      valueName: "30s"))
  var stallTimeout: Given<DurationText>?

  func run(_ call: Call) async throws {
    let pace = try pace()
    if let stdio { return try await answer(stdio, call, pace) }
    guard (1...2).contains(peers.count) else {
      throw CommandFailure.usage(
        "sync takes one peer with --store, or a directory and its peer", hint: "carillon sync A B")
    }
    let peer = try SyncPeer(peers[peers.count - 1])
    let first = peers.count == 2 ? try SyncPeer(peers[0]) : .directory(try call.directory())
    guard case .directory(let directory) = first else {
      throw CommandFailure.usage(
        "\(peers[0]): the first of two must be a directory",
        hint: "carillon sync DIR \(peers[0])")
    }
    try await call.withStore(at: directory) { store in
      if watch {
        var watcher = SyncWatcher(call, store, peer, pace)
        return try await watcher.run()
      }
      let bar = ProgressBar("syncing", isQuiet: call.output.isQuiet)
      defer { bar.finish() }
      let (report, problemThere) = try await peer.withConnection(
        from: store, call, pace
      ) { connection in
        try await connection.sync { bar.update($0) }
      }
      bar.finish()
      for warning in report.warnings { call.output.warn(warning) }
      let problem = report.problem(hint: Self.repairHint) ?? problemThere
      var (json, text) = (report.json, report.text)
      if audit, problem == nil {
        let count = try await store.status().eventCount
        json = json.merging(["audited": .integer(count)])
        text +=
          "\(Int(clamping: count).counted("event")) checked on both sides: all are "
          + "whole, and both read the same state out of them.\n"
      }
      try call.output.answer(json, recorded: report.hasMoved) { call.output.isQuiet ? "" : text }
      if let problem { throw problem }
    }
  }

  /// What to do about events that a sync left out, or that stay damaged.
  static let repairHint =
    "repair both from a third replica that holds these events: carillon sync A B --audit"

  private func pace() throws -> SyncPace {
    var pace = SyncPace()
    if audit && watch {
      throw CommandFailure.usage("--audit is done once", hint: "leave out --watch")
    }
    pace.audits = audit
    if every != nil && !watch {
      throw CommandFailure.usage("--every goes with --watch", hint: "add --watch, or leave it out")
    }
    func duration(
      _ given: Given<DurationText>?, _ option: String, _ range: ClosedRange<Int>
    ) throws -> Duration? {
      guard let seconds = try given.value(for: option)?.seconds else { return nil }
      guard range.contains(seconds) else {
        throw CommandFailure.badData(
          "\(option): \(DurationText.text(seconds)) is out of range",
          hint: "give \(DurationText.text(range.lowerBound)) to "
            + DurationText.text(range.upperBound))
      }
      return .seconds(seconds)
    }
    // Below the stall interval after which the other side ends.
    if let every = try duration(every, "--every", 1...20) { pace.every = every }
    if let interval = try duration(stallTimeout, "--stall-timeout", 1...3_600) {
      pace.stallInterval = interval
    }
    return pace
  }

  // MARK: -

  /// Answers whoever started this process, until standard input ends.
  private func answer(_ path: String, _ call: Call, _ pace: SyncPace) async throws {
    guard peers.isEmpty, !watch, !audit else {
      throw CommandFailure.usage(
        "--stdio takes no peer, no --watch and no --audit: the other side leads",
        hint: "carillon sync --stdio DIR")
    }
    // An initiator that went away is told by an error, also where standard error went with it.
    signal(SIGPIPE, SIG_IGN)
    // From here on nothing but messages can reach the initiator.
    let (reading, writing) = (dup(STDIN_FILENO), dup(STDOUT_FILENO))
    dup2(STDERR_FILENO, STDOUT_FILENO)
    try await call.withStore(at: URL(filePath: path, directoryHint: .isDirectory)) { store in
      let transport = try PipeTransport(
        reading: reading, writing: writing, stallInterval: pace.stallInterval, naming: store.id)
      let result: SyncAnswered
      do {
        result = try await store.answer(over: transport)
      } catch {
        await transport.close()
        throw error
      }
      await transport.close()
      // Where nobody reads standard error any more, there is nobody to tell.
      for identity in result.newIdentities { call.output.note(identity.text) }
      if let problem = result.problem(in: path) { throw problem }
    }
  }
}
