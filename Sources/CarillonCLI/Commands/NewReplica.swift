import Carillon
import CarillonAccess
import CarillonDocuments
import Foundation

/// A new replica of a store, which `clone` and `join` create.
struct NewReplica: Sendable {
  /// A new or empty directory.
  let directory: URL
  let name: String
  let role: Device.Role
  let storage: Store.Storage
  /// The source as the command line names it; nil for a service that the directory has joined.
  var source: String?

  /// Clones the store at the other end of a pipe.
  ///
  /// - Returns: Why the clone is incomplete, or nil if it is complete; and why the peer did not
  ///   take the replica's own events, or nil if it did.
  func make(
    _ call: Call, over transport: PipeTransport, _ options: StoreOptions,
    byteUse: () -> ByteUse? = { nil }
  ) async throws -> (problem: CommandFailure?, unsent: StoreError?) {
    var unsent: StoreError?
    let problem = try await make(call, byteUse: byteUse) { progress in
      let clone = try await Store.clone(
        over: transport, at: directory, replica: name, role: role, storage: storage,
        options: options, progress: progress)
      unsent = clone.unsent
      return clone
    }
    return (problem, unsent)
  }

  /// Clones the store of a service.
  ///
  /// - Returns: As ``make(_:_:)``.
  func make(
    _ call: Call, from address: ServiceURL, _ options: StoreOptions
  ) async throws -> CommandFailure? {
    let link = try LinkConnection(
      address, of: directory, stallInterval: PipeTransport.defaultStallInterval)
    var options = options
    options.continuesJoin = try !RemoteService.isOther(than: address.url, in: directory)
    var made: (problem: CommandFailure?, unsent: StoreError?)?
    do {
      try await link.run(namesStore: true) {
        made = try await make(call, over: $0, options) { link.byteUse }
        // The program behind the transport knows why.
        if let unsent = made?.unsent { throw unsent }
      }
    } catch {
      guard made?.unsent != nil, let failure = CommandFailure(error) else { throw error }
      call.output.warn(
        "the service has not taken this replica's own events, which wait for the next sync: "
          + "\(failure.message); \(failure.hint)")
    }
    if let use = link.byteUse { call.output.note(use.notice) }
    return made?.problem
  }

  /// Clones the store, and prints what was created.
  ///
  /// - Parameter byteUse: Returns the use of a hub's quota after the clone.
  /// - Returns: Why the clone is incomplete, or nil if it is complete.
  func make(
    _ call: Call, byteUse: () -> ByteUse? = { nil },
    _ clone: (@escaping @Sendable (SyncProgress) -> Void) async throws -> StoreClone
  ) async throws -> CommandFailure? {
    let bar = ProgressBar("cloning", isQuiet: call.output.isQuiet)
    defer { bar.finish() }
    return try await creating(at: directory) {
      let clone = try await namingFlag { try await clone { bar.update($0) } }
      let (store, report) = (clone.store, clone.report)
      bar.finish()
      let sync = byteUse().member.merging(["sync": report.json])
      guard store.hasContents else {
        return try await answerWithoutKeys(store, report, sync, call)
      }
      let status = try await store.status()
      let made = try await status.madeJSON.merging(store.descriptionJSON(status))
      let problems = try await store.contentHealth()
      await store.close()
      if let other = status.namesake(of: name) {
        call.output.note(
          "Another replica is also named \(name): this one is listed as \(status.name), "
            + "and the other one as \(other).")
      }
      for warning in report.warnings + problems { call.output.warn(warning) }
      try call.output.answer(made.merging(sync), recorded: true) {
        call.output.isQuiet
          ? ""
          : "Created replica \(status.name.printable) of store \(status.store) in "
            + "\(directory.path.printable): "
            + "\(report.eventsReceived.counted("event"))\n" + report.missingText
      }
      if let role = status.role, let other = status.other(in: role) {
        call.output.note(
          "Another \(role.rawValue) is there already: \(other.name). To give this one another "
            + "role: \(NextCommand.carillon(store: directory.relativePath)) replicas role "
            + "\(status.replica.description.prefix(8)) ROLE")
      }
      return report.problem(hint: Self.repairHint)
    }
  }

  /// Calls a function that fails if the source gives the keys of a sealed store to no clone.
  ///
  /// - Throws: The errors of `body`; for that one, with the command that clones without keys.
  private func namingFlag<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch let error as StoreError where error.code == .missingKeys {
      var failure = CommandFailure(store: error)
      failure.hint =
        "no keys are sent over a network; clone it without them: carillon clone "
        + "\(ShellWord.quoted(source ?? "PEER")) \(ShellWord.quoted(directory.relativePath)) "
        + "--replica \(ShellWord.quoted(name)) --role \(role.rawValue) --without-keys"
      throw failure
    }
  }

  /// Prints that a replica without the keys of its sealed store was created.
  private func answerWithoutKeys(
    _ store: Store, _ report: SyncReport, _ sync: JSON, _ call: Call
  ) async throws -> CommandFailure? {
    await store.close()
    let made: JSON = [
      "store": .text(store.id.description), "sealed": .bool(true), "keys": .bool(false),
    ]
    let carillon = NextCommand.carillon(store: directory.relativePath)
    let pair = source.map { "\(carillon) pair \(ShellWord.quoted($0))" } ?? "\(carillon) pair"
    try call.output.answer(made.merging(sync), recorded: true) {
      call.output.isQuiet
        ? ""
        : "Created a replica without keys of store \(store.id) in \(directory.path.printable): "
          + "\(report.eventsReceived.counted("event"))\nIt can be synced and backed up. To read "
          + "it, with the recovery phrase: \(carillon) recover; or with a device that has the "
          + "keys, here and there, by the same peer: \(pair)\n"
    }
    return report.problem(hint: Self.repairHint)
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
