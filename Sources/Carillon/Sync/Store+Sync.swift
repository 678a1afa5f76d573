public import CarillonModel
public import CarillonSync
import CarillonSQLite
public import Foundation

/// A new replica, and the sync that filled it.
public struct StoreClone: Sendable {
  /// The new replica, open.
  public let store: Store
  /// What was transferred, as seen by the new replica.
  public let report: SyncReport
  /// Why the peer did not take the replica's own events; nil if it did.
  ///
  /// The replica has all events of the peer then, and a later sync sends its own.
  package var unsent: StoreError?
}

extension Store {
  /// Creates a replica of a store in an absent or empty directory, and syncs the two once.
  ///
  /// The new replica has no predecessor: its permission is not determined, the person was never
  /// asked, and its alerts are off.
  ///
  /// - Throws: The errors of `create` and ``sync(with:audits:progress:)``; `alreadyExists` if the
  ///   directory is inside the source's directory; `corrupt` if the source has lost the start of a
  ///   sealed store. Nothing is left behind then.
  public static func clone(
    _ source: Store, at directory: URL, replica: String, role: Device.Role = .phone,
    storage: Storage = .standard, options: StoreOptions = StoreOptions(),
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws(StoreError) -> StoreClone {
    guard !directory.lies(below: source.directory) else {
      throw StoreError(
        code: .alreadyExists,
        message: "\(directory.path) lies in the directory of the cloned store, "
          + source.directory.path,
        hint: "choose a directory outside it")
    }
    let ring = try options.mayLackKeys ? nil : source.ring()
    let sealing = try StoreError.translating {
      try Sealing(cloning: source.id, ring, to: directory, isSealed: source.isSealed)
    }
    let (store, report) = try await make(
      at: directory, replica, role, source.id, storage, options, sealing
    ) { store in
      let report = try await store.sync(with: source, progress: progress)
      try store.requireStart()
      return report
    }
    return StoreClone(store: store, report: report)
  }

  /// Creates a replica of the store at the other end of a pipe, in an absent or empty directory,
  /// and syncs the two.
  ///
  /// The other side must name its store before the first message.
  /// The transport stays open. With any other transport, create the replica with the store's ID and
  /// sync it.
  ///
  /// If the peer takes no events, such as a hub over its quota, the replica is created without
  /// sending its own.
  ///
  /// - Throws: The errors of `create` and ``sync(over:options:progress:)``; `protocol` if the peer
  ///   does not name its store; `corrupt` if it has lost the start of a sealed store. Nothing is
  ///   left behind then.
  public static func clone(
    over transport: PipeTransport, at directory: URL, replica: String, role: Device.Role = .phone,
    storage: Storage = .standard, options: StoreOptions = StoreOptions(),
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws(StoreError) -> StoreClone {
    guard let id = try await StoreError.translating({ try await transport.peerStore() }) else {
      throw StoreError(
        code: .protocolViolation, message: "the peer did not name its store",
        reason: .unnamedStore)
    }
    let (first, sealing) = try StoreError.translating {
      (
        try firstEvent(of: replica, role, options),
        try Sealing(cloning: id, nil, to: directory, isSealed: options.mayLackKeys)
      )
    }
    let (store, (report, unsent)) = try await make(
      at: directory, id, storage, options, sealing
    ) { store -> (SyncReport, StoreError?) in
      // The peer's events come first: it may take none.
      var report = try await store.sync(over: transport, progress: progress)
      try store.requireStart()
      guard store.hasContents else { return (report, nil) }
      // The peer does not say whether the store is sealed. In one that is, nothing is sent plainly.
      guard try store.isSealed || !store.keptLog.isSealed() else {
        throw StoreError.missingKeys(of: id)
      }
      _ = try await store.log.record(
        sealing.firstEvents + [first], wallClock: options.clock(), expecting: nil)
      do throws(StoreError) {
        let second = try await store.sync(over: transport)
        report.missingHere = 0
        report.add(second)
        return (report, nil)
      } catch {
        guard error.code == .unreachable else { throw error }
        return (report, error)
      }
    }
    return StoreClone(store: store, report: report, unsent: unsent)
  }

  /// Requires that the log of a sealed store has the events with which every such store begins.
  ///
  /// Without them, a new replica would be an empty store, or, without keys, a plain one.
  private func requireStart() throws {
    try keys?.refresh()
    guard lacksStart else {
      guard isSealed, keys == nil, try !keptLog.isSealed() else { return }
      throw StoreError(
        code: .corrupt, message: "the log that was cloned has no sealed event",
        hint: "if the store is plain, clone it with its content; else that place has lost its "
          + "events, so clone another replica")
    }
    throw StoreError(
      code: .corrupt,
      message: "the log that was cloned lacks the start of the sealed store: its events were lost "
        + "there, or are withheld",
      hint: "clone another replica; what a device has comes back to that place when it syncs")
  }

  /// Exchanges the events that each of two stores lacks.
  ///
  /// Both hold the same events afterwards. A device on which the others no longer count, because it
  /// wrote nothing for long, describes itself again first, in every kind of sync.
  ///
  /// - Parameters:
  ///   - peer: Another replica of this store.
  ///   - audits: Whether both sides recompute all IDs and repair damaged events from each other's
  ///     intact copies. The report lists what is still damaged.
  ///   - progress: Called with the number of events transferred and the number known to be
  ///     transferred.
  /// - Returns: What was transferred, as seen by this store.
  /// - Throws: `otherStore` for a replica of another store, `protocol`, and the errors of the logs.
  ///   Events already appended are kept.
  @discardableResult
  public func sync(
    with peer: Store, audits: Bool = false,
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws(StoreError) -> SyncReport {
    var options = SyncOptions.withinProcess
    options.audits = audits
    return try await syncs.run(progress) { [options] progress in
      try await self.showSignOfLife()
      try await peer.showSignOfLife()
      let before = (try await self.missingEvents(), try await peer.missingEvents())
      var report = try await self.comparing(options) { options in
        try await self.sweepingAddedEvents {
          try await peer.sweepingAddedEvents {
            try await LocalSync.synchronize(
              self.keptLog, peer.keptLog, wallClock: self.options.clock(), options: options,
              contents: (self.contents, peer.contents), progress: progress)
          }
        }
      }
      report.missingHere += try self.countMissing(before.0)
      report.missingThere += try peer.countMissing(before.1)
      if report.stateDifference == .there, try await peer.checkProjections() == nil {
        report.stateDifference = .both
      }
      return report
    }
  }

  /// Runs a sync.
  ///
  /// After an audit that transferred something, runs one more, which compares the states.
  private func comparing(
    _ options: SyncOptions, _ sync: (SyncOptions) async throws -> SyncReport
  ) async throws -> SyncReport {
    var report = try await sync(options)
    guard options.audits else { return report }
    try await project(repaired: report.repaired)
    if report.eventsSent + report.eventsReceived + report.repaired + report.repairedThere > 0 {
      var options = options
      (options.audits, options.comparesStates) = (false, true)
      report.add(try await sync(options))
    }
    if hasContents { report.warnings += try await contentHealth() }
    if report.statesDiffer {
      report.stateDifference = try await checkProjections() == nil ? .there : .here
    }
    return report
  }

  /// Rebuilds the projections if events were repaired that had been applied as damaged.
  private func project(repaired count: Int) async throws {
    if count > 0, hasContents { _ = try await rebuild() }
  }

  /// Exchanges the events that each side lacks with a replica behind a transport, which must
  /// respond.
  ///
  /// This store is the initiator.
  ///
  /// The transport stays open, so that another sync may follow over it.
  ///
  /// - Parameters:
  ///   - transport: Carries messages of at most 60,000 bytes. It may lose, repeat and reorder
  ///     them.
  ///   - options: The options of this side.
  ///   - progress: Called with the number of events transferred and the number known to be
  ///     transferred.
  /// - Returns: What was transferred, as seen by this store.
  /// - Throws: `unreachable` if the transport fails or ends, or if repeated requests get no answer;
  ///   otherwise the errors of ``sync(with:audits:progress:)``. Events already appended are kept;
  ///   sync again.
  @discardableResult
  public func sync(
    over transport: any SyncTransport, options: SyncOptions = SyncOptions(),
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws(StoreError) -> SyncReport {
    try await syncs.run(progress) { progress in
      try await self.showSignOfLife()
      let before = try await self.missingEvents()
      var report = try await self.comparing(options) { options in
        try await self.sweepingAddedEvents {
          try await SyncDriver.initiate(
            self.keptLog, over: transport, wallClock: self.options.clock(), options: options,
            contents: self.contents, progress: progress)
        }
      }
      report.missingHere += try self.countMissing(before)
      return report
    }
  }

  /// Returns the positions of the events that are known only by ID.
  private func missingEvents() async throws -> [LogPosition] {
    guard hasContents else { return [] }
    return try await projections.read { try $0.missingPositions() }
  }

  /// Returns how many of the events at these positions are known only by ID.
  ///
  /// Reads the log, since the projections may lag behind after a sync.
  private func countMissing(_ positions: [LogPosition]) throws -> Int {
    try positions.count { try loggedEvent(at: $0)?.event.isMissing ?? false }
  }

  /// Responds to an initiator over a transport, until the transport ends.
  ///
  /// Every peer on the transport is trusted, so the caller must decide beforehand who may use it.
  ///
  /// - Returns: What was received and sent.
  /// - Throws: `unreachable` if the transport fails, and the errors of the log. Events already
  ///   appended are kept.
  @discardableResult
  public func answer(
    over transport: any SyncTransport, options: SyncOptions = SyncOptions()
  ) async throws(StoreError) -> SyncResponse {
    try await StoreError.translating {
      try await self.showSignOfLife()
      let before = try await self.missingEvents()
      var answered = try await self.sweepingAddedEvents {
        try await SyncDriver.respond(
          self.keptLog, over: transport, clock: self.options.clock, options: options,
          contents: self.contents)
      }
      answered.missing += try self.countMissing(before)
      return answered
    }
  }

  /// Returns the answer to one message of an initiator, for request-and-response transports.
  ///
  /// No state is kept between messages: any process that has the store open can answer any message,
  /// even one that was already answered.
  ///
  /// - Parameter message: The message as received; any bytes are allowed.
  /// - Returns: At most 60,000 bytes; a refusal if the message is invalid.
  /// - Throws: The errors of the log.
  public func answer(
    to message: [UInt8], options: SyncOptions = SyncOptions()
  ) async throws(StoreError) -> [UInt8] {
    try await StoreError.translating {
      let (messages, _) = try await self.sweepingAddedEvents {
        try await SyncDriver.answers(
          to: message, of: self.keptLog, wallClock: self.options.clock(), options: options,
          contents: self.contents)
      }
      precondition(messages.count == 1, "each message gets one answer")
      return messages[0]
    }
  }

  /// The contents for a sync.
  ///
  /// Must be used within ``sweepingAddedEvents(_:)``, which opens the projections.
  private var contents: SyncContents {
    guard hasContents else { return .unknown }
    return SyncContents(
      unopenedProjections, erasures: keptErasures, names: { try self.replicaNames() })
  }

  /// The status of the syncs that this store initiated.
  public var syncStatus: SyncStatus { syncs.status }

  /// Returns a stream of the status of the syncs that this store initiated: now, and after each
  /// change.
  ///
  /// A slow reader gets only the newest. The stream ends when the store is closed.
  public func syncStatusUpdates() -> AsyncStream<SyncStatus> {
    syncs.updates()
  }
}
