public import CarillonModel
public import CarillonSync
import CarillonSQLite
public import Foundation

extension Store {
  /// Makes a new replica of a store in a directory that is absent or empty, and syncs the two once.
  ///
  /// The new replica has no predecessor: its permission is not determined, it was never asked, and
  /// its alerts are off.
  ///
  /// - Throws: As `create` and ``sync(with:audits:_:)``; `alreadyExists` where the directory lies
  ///   in the source's own. Nothing is left behind then.
  public static func clone(
    _ source: Store, at directory: URL, replica: String, role: Device.Role = .phone,
    storage: Storage = .standard, options: StoreOptions = StoreOptions(),
    _ progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws -> (store: Store, report: SyncReport) {
    guard !directory.lies(below: source.directory) else {
      throw StoreError(
        code: .alreadyExists,
        message: "\(directory.path) lies in the directory of the store that is cloned, "
          + source.directory.path,
        hint: "choose a directory outside of it")
    }
    return try await clone(source.id, at: directory, replica, role, storage, options) { store in
      try await store.sync(with: source, progress)
    }
  }

  /// Makes a new replica of the store behind a pipe, in a directory that is absent or empty, and
  /// syncs the two once.
  ///
  /// The other side names its store before the first message, as `carillon sync --stdio` does; the
  /// transport is left open. Over any other transport, make the replica with the store's id and
  /// sync it.
  ///
  /// - Throws: As `create` and ``sync(over:options:_:)``; `protocol` where the other side does not
  ///   name its store. Nothing is left behind then.
  public static func clone(
    over transport: PipeTransport, at directory: URL, replica: String, role: Device.Role = .phone,
    storage: Storage = .standard, options: StoreOptions = StoreOptions(),
    _ progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws -> (store: Store, report: SyncReport) {
    guard let id = try await translatingErrors({ try await transport.peerStore() }) else {
      throw StoreError(
        code: .protocolViolation, message: "the other side does not say which store it has",
        hint: "update carillon there; or make a replica of its id (see there: carillon status) "
          + "and sync it: carillon init --replica NAME --store DIR --store-id ID")
    }
    return try await clone(id, at: directory, replica, role, storage, options) { store in
      try await store.sync(over: transport, progress)
    }
  }

  private static func clone(
    _ id: StoreID, at directory: URL, _ replica: String, _ role: Device.Role,
    _ storage: Storage, _ options: StoreOptions, _ sync: (Store) async throws -> SyncReport
  ) async throws -> (store: Store, report: SyncReport) {
    let (store, report) = try await make(
      at: directory, replica, role, id, storage, options, filling: sync)
    return (store, report)
  }

  /// Exchanges what each of two stores lacks; both hold the same events afterwards.
  ///
  /// - Parameters:
  ///   - peer: Another replica of this store.
  ///   - audits: Both compute all their IDs anew and give each other whole copies of what is
  ///     damaged; what still is stands in the report.
  ///   - progress: Called with events moved so far and how many are known to move.
  /// - Returns: What moved, as this store sees it.
  /// - Throws: `otherStore` for a replica of another store, `protocol`, and what the logs throw.
  ///   What was appended before stays.
  @discardableResult
  public func sync(
    with peer: Store, audits: Bool = false,
    _ progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws -> SyncReport {
    var options = SyncOptions.withinProcess
    options.audits = audits
    return try await syncs.run(progress) { [options] progress in
      let before = (try await self.missingEvents(), try await peer.missingEvents())
      var report = try await self.comparing(options) { options in
        try await self.sweepingWhatComes {
          try await peer.sweepingWhatComes {
            try await LocalSync.synchronize(
              self.log, peer.log, wallClock: self.options.clock(), options: options,
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

  /// Runs a sync, and after an audit that moved something one more, which compares the states.
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
    if report.statesDiffer {
      report.stateDifference = try await checkProjections() == nil ? .there : .here
    }
    return report
  }

  /// Projects events anew, where some were applied while they were damaged.
  private func project(repaired count: Int) async throws {
    if count > 0 { _ = try await rebuild() }
  }

  /// Exchanges what each side lacks with a replica behind a transport, which answers there; leads.
  ///
  /// The transport is left open, so that another sync may follow over it.
  ///
  /// - Parameters:
  ///   - transport: Carries messages of at most ``SyncOptions/maxMessageBytes``; may lose, repeat
  ///     and reorder them.
  ///   - options: Of this side.
  ///   - progress: Called with events moved so far and how many are known to move.
  /// - Returns: What moved, as this store sees it.
  /// - Throws: `unreachable` where the transport fails or ends, or nothing comes however often it
  ///   is asked; else as ``sync(with:_:)``. What was appended before stays; sync again.
  @discardableResult
  public func sync(
    over transport: any SyncTransport, options: SyncOptions = SyncOptions(),
    _ progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws -> SyncReport {
    try await syncs.run(progress) { progress in
      let before = try await self.missingEvents()
      var report = try await self.comparing(options) { options in
        try await self.sweepingWhatComes {
          try await SyncDriver.lead(
            self.log, over: transport, wallClock: self.options.clock(), options: options,
            contents: self.contents, progress: progress)
        }
      }
      report.missingHere += try self.countMissing(before)
      return report
    }
  }

  /// Where the events lie that are held as their IDs alone.
  private func missingEvents() async throws -> [Position] {
    try await projections.read { try $0.missingPositions() }
  }

  /// How many of these events are held as their IDs alone.
  ///
  /// The log is asked, since the projections are behind after a sync.
  private func countMissing(_ positions: [Position]) throws -> Int {
    try positions.count { try event(at: $0)?.event.isMissing ?? false }
  }

  /// Answers a replica that leads, over a transport, until the transport ends.
  ///
  /// What the transport carries is let in: decide who may use it before.
  ///
  /// - Returns: What came of it.
  /// - Throws: `unreachable` where the transport fails, and what the log throws. What was appended
  ///   before stays.
  @discardableResult
  public func answer(
    over transport: any SyncTransport, options: SyncOptions = SyncOptions()
  ) async throws -> SyncAnswered {
    try await translatingErrors {
      let before = try await self.missingEvents()
      var answered = try await self.sweepingWhatComes {
        try await SyncDriver.answer(
          self.log, over: transport, clock: self.options.clock, options: options,
          contents: self.contents)
      }
      answered.missing += try self.countMissing(before)
      return answered
    }
  }

  /// The answer to one message of a replica that leads, for transports of requests and responses.
  ///
  /// Nothing is kept between messages: any process that has the store open can answer any message,
  /// also one that was answered before.
  ///
  /// - Parameter message: As it came; any bytes may be given.
  /// - Returns: At most ``SyncOptions/maxMessageBytes``; a refusal where the message is none.
  /// - Throws: What the log throws.
  public func answer(
    to message: [UInt8], options: SyncOptions = SyncOptions()
  ) async throws -> [UInt8] {
    try await translatingErrors {
      let (messages, _) = try await self.sweepingWhatComes {
        try await SyncDriver.answers(
          to: message, of: self.log, wallClock: self.options.clock(), options: options,
          contents: self.contents)
      }
      precondition(messages.count == 1, "each message gets one answer")
      return messages[0]
    }
  }

  /// To be asked within ``sweepingWhatComes(_:)``, which opens the projections.
  private var contents: SyncContents {
    SyncContents(tables, names: { try self.replicaNames() })
  }

  /// How the syncs are that this store initiates.
  public var syncStatus: SyncStatus { syncs.status }

  /// How the syncs are that this store initiates: now, and then each time it changed.
  ///
  /// A slow reader gets only the newest. It ends when the store is closed.
  public func syncStatusUpdates() -> AsyncStream<SyncStatus> {
    syncs.updates()
  }
}
