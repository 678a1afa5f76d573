import ArgumentParser
import Carillon
import CarillonDocuments
import Foundation

/// `carillon clone`: creates a new replica of a store, and syncs it.
struct CloneCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "clone", abstract: "Create a new replica of a store, and sync it.",
    discussion: """
      The source is a replica in a directory, or ssh://[user@]host[:port]/path on another \
      computer; see the help of the sync command.

      To move a store to another storage, clone it, and then use the clone. The old replica is not \
      changed; keep it or remove it.

      Examples:
        carillon clone phone watch --replica watch --role watch
        carillon clone ssh://me@host/~/phone desk --replica desk --role desktop
        carillon clone phone phone-sqlite --replica phone2 --storage sqlite
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(
    help: "The replica to clone: its directory, or ssh://[user@]host[:port]/path.",
    completion: .directory)
  var from: String
  @Argument(help: "The new or empty directory of the clone.", completion: .directory)
  var directory: String
  @OptionGroup var device: DeviceFlags

  func run(_ call: Call) async throws {
    let role = try device.givenRole() ?? .phone
    let storage = try device.storage.value(for: "--storage")
    let name = try device.name()
    let target = URL(filePath: directory, directoryHint: .isDirectory)
    var problem: CommandFailure?
    switch try SyncPeer(from) {
    case .directory(let source):
      problem = try await call.withStore(at: source) { source in
        try requireWritable(source, for: target)
        return try await make(target, name, call) { progress in
          try await Store.clone(
            source, at: target, replica: name, role: role, storage: storage,
            options: call.storeOptions, progress: progress)
        }
      }
    case .remote(let address):
      let (here, there) = try await RemoteConnection(
        address, stallInterval: PipeTransport.defaultStallInterval
      )
      .run { transport in
        try await make(target, name, call) { progress in
          try await Store.clone(
            over: transport, at: target, replica: name, role: role, storage: storage,
            options: call.storeOptions, progress: progress)
        }
      }
      problem = here ?? there
    }
    if let problem { throw problem }
  }

  /// Throws if the source can only be read, since a clone is recorded there.
  private func requireWritable(_ source: Store, for target: URL) throws(CommandFailure) {
    let path = source.directory.path
    guard !FileManager.default.isWritableFile(atPath: path) else { return }
    throw CommandFailure(
      status: .cannotCreate, code: StoreError.Code.readOnly.rawValue,
      message: "\(path) can only be read, but a clone must be recorded there",
      hint: "copy the directory; a copy takes its own identity: cp -R "
        + "\(NextCommand.quoted(path)) \(NextCommand.quoted(target.path))")
  }

  /// Clones the store, and prints what was created.
  ///
  /// - Returns: Why the clone is incomplete, or nil if it is complete.
  private func make(
    _ target: URL, _ name: String, _ call: Call,
    _ clone: (@escaping @Sendable (SyncProgress) -> Void) async throws -> StoreClone
  ) async throws -> CommandFailure? {
    let bar = ProgressBar("cloning", isQuiet: call.output.isQuiet)
    defer { bar.finish() }
    return try await creating {
      let clone = try await clone { bar.update($0) }
      let (store, report) = (clone.store, clone.report)
      bar.finish()
      let status = try await store.status()
      let made = try await status.madeJSON.merging(store.firstEventJSON)
      await store.close()
      if let other = status.namesake(of: name) {
        call.output.note(
          "Another replica is also named \(name): this one is listed as \(status.name), "
            + "and the other one as \(other).")
      }
      if let role = status.role, let other = status.other(in: role) {
        call.output.note(
          "\(status.name) is a \(role.rawValue), as is \(other.name); to change that: "
            + "\(call.output.carillon) replicas role \(status.replica.description.prefix(8)) ROLE")
      }
      for warning in report.warnings { call.output.warn(warning) }
      try call.output.answer(made.merging(["sync": report.json]), recorded: true) {
        call.output.isQuiet
          ? ""
          : "Created replica \(status.name.printable) of store \(status.store) in "
            + "\(target.path.printable): "
            + "\(report.eventsReceived.counted("event"))\n" + report.missingText
      }
      return report.problem(hint: Self.repairHint)
    }
  }

  private static let repairHint =
    "keep the source; repair it from another replica, carillon sync A B --audit, and then sync the "
    + "clone with it: carillon sync A B"
}

extension StoreStatus {
  /// Another replica in use whose device is of a kind, or nil if there is none.
  fileprivate func other(in role: Device.Role) -> ReplicaInfo? {
    replicas.first { $0.replica != replica && $0.role == role && !$0.isRetired }
  }

  /// The displayed name of another replica with the same name, if there is one.
  ///
  /// If several replicas have the name, the first is displayed without a suffix.
  fileprivate func namesake(of replica: String) -> String? {
    let given = replica.precomposedStringWithCanonicalMapping
    let other = name == given ? "\(given).2" : given
    return replicas.contains { $0.name == other } ? other : nil
  }
}

extension ProgressBar {
  /// Shows the progress of a sync.
  func update(_ progress: SyncProgress) {
    update(
      UInt64(clamping: progress.eventsSent + progress.eventsReceived),
      of: UInt64(clamping: progress.eventsToSend + progress.eventsToReceive))
  }

  /// Shows the progress of a rebuild.
  func update(_ progress: RebuildProgress) {
    update(progress.done, of: progress.total)
  }
}
