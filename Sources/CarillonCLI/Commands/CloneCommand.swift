import ArgumentParser
import Carillon
import Foundation

/// `carillon clone`: a new replica of a store, and a first sync.
struct CloneCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "clone", abstract: "Make a new replica of a store, and sync it.",
    discussion: """
      The replica to begin with is a directory, or ssh://[user@]host[:port]/path for one on \
      another computer, as carillon sync takes it.

      A store moves to another storage by a clone: carillon clone OLD NEW --replica NAME --storage \
      sqlite, then use NEW. The old one stays as it is; remove it, or keep it as a replica.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(
    help: "A replica: its directory, or ssh://[user@]host[:port]/path.", completion: .directory)
  var from: String
  @Argument(help: "A new or empty directory.", completion: .directory) var directory: String
  @OptionGroup var device: DeviceFlags

  func run(_ call: Call) async throws {
    let role = try device.role.value(for: "--role")
    let storage = try device.storage.value(for: "--storage")
    let target = URL(filePath: directory, directoryHint: .isDirectory)
    var problem: CommandFailure?
    switch try SyncPeer(from) {
    case .directory(let source):
      problem = try await call.withStore(at: source) { source in
        try requireWritable(source, for: target)
        return try await make(target, call) { progress in
          try await Store.clone(
            source, at: target, replica: device.replica, role: role, storage: storage,
            options: call.storeOptions, progress)
        }
      }
    case .remote(let address):
      let (here, there) = try await RemoteConnection(
        address, stallInterval: PipeTransport.defaultStallInterval
      )
      .run { transport in
        try await make(target, call) { progress in
          try await Store.clone(
            over: transport, at: target, replica: device.replica, role: role, storage: storage,
            options: call.storeOptions, progress)
        }
      }
      problem = here ?? there
    }
    if let problem { throw problem }
  }

  /// A clone tells the replica to begin with of the new one.
  private func requireWritable(_ source: Store, for target: URL) throws(CommandFailure) {
    let path = source.directory.path
    guard !FileManager.default.isWritableFile(atPath: path) else { return }
    throw CommandFailure(
      status: .cannotCreate, code: StoreError.Code.readOnly.rawValue,
      message: "\(path) can only be read, and a clone is made known there",
      hint: "copy it; a copy takes an identity of its own: cp -R "
        + "\(NextCommand.quoted(path)) \(NextCommand.quoted(target.path))")
  }

  /// Clones, and tells what was made.
  ///
  /// - Returns: Why the clone does not hold all that there is; nil where it does.
  private func make(
    _ target: URL, _ call: Call,
    _ clone: (@escaping @Sendable (SyncProgress) -> Void) async throws -> (Store, SyncReport)
  ) async throws -> CommandFailure? {
    let bar = ProgressBar("cloning", isQuiet: call.output.isQuiet)
    defer { bar.finish() }
    return try await creating {
      let (store, report) = try await clone { bar.update($0) }
      bar.finish()
      let status = try await store.status()
      let made = try status.madeJSON.merging(store.firstEventJSON)
      await store.close()
      if let other = status.namesake(of: device.replica) {
        call.output.note(
          "Another replica is named \(device.replica) too: this one shows as \(status.name), "
            + "that one as \(other).")
      }
      for warning in report.warnings { call.output.warn(warning) }
      try call.output.answer(made.merging(["sync": report.json]), recorded: true) {
        call.output.isQuiet
          ? ""
          : "Made replica \(status.name.printable) of store \(status.store) in "
            + "\(target.path.printable): "
            + "\(report.eventsReceived.counted("event"))\n" + report.missingText
      }
      return report.problem(hint: Self.repairHint)
    }
  }

  private static let repairHint =
    "keep the replica that was cloned; repair it from another one, carillon sync A B --audit, and "
    + "then sync the clone with it: carillon sync A B"
}

extension StoreStatus {
  /// What another replica of the same name shows as: of all, the first shows by the name alone.
  fileprivate func namesake(of replica: String) -> String? {
    let given = replica.precomposedStringWithCanonicalMapping
    let other = name == given ? "\(given).2" : given
    return replicas.contains { $0.name == other } ? other : nil
  }
}

extension ProgressBar {
  /// Shows how far a sync is.
  func update(_ progress: SyncProgress) {
    update(
      UInt64(clamping: progress.eventsSent + progress.eventsReceived),
      of: UInt64(clamping: progress.eventsToSend + progress.eventsToReceive))
  }

  /// Shows how far a rebuild is.
  func update(_ progress: RebuildProgress) {
    update(progress.done, of: progress.total)
  }
}
