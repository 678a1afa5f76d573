internal import CarillonModel
internal import CarillonSQLite
internal import CarillonSync
internal import CarillonWire
internal import Foundation

/// One replica of a simulated world: a log, its projections, a clock, and perhaps a backup.
struct SimulatedReplica: Sendable {
  private(set) var log: InMemoryEventLog
  private(set) var projections: SQLiteProjections
  /// What this replica's device takes for the time.
  var clock: Instant
  /// The kinds of payload that its build does not know.
  private(set) var unknownKinds: Set<UInt32>
  private(set) var backup: InMemoryEventLog?
  private let directory: TemporaryDirectory
  /// How many files of projections there were: each gets a directory of its own.
  private var fileCount = 0

  /// - Parameter log: Nobody else writes to it.
  init(_ log: InMemoryEventLog, clock: Instant, unknownKinds: Set<UInt32>) async throws {
    self.log = log
    self.clock = clock
    self.unknownKinds = unknownKinds
    directory = try TemporaryDirectory()
    log.setRestatement(Self.restatement)
    projections = try await Self.projections(
      of: log, in: directory.appending("0"), unknownKinds)
  }

  /// A new identity says whose history it goes on from.
  private static let restatement: Restatement = { identity in
    let description = DeviceDescription(
      name: "copy", role: .watch, zone: "UTC", zoneDataVersion: "2025b", capacity: 64,
      predecessor: identity.predecessor)
    return [NewEvent(payload: try PayloadCoding.encode(.deviceDescribed(description)))]
  }

  private static func projections(
    of log: InMemoryEventLog, in directory: URL, _ unknownKinds: Set<UInt32>
  ) async throws -> SQLiteProjections {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let seen: any EventLog =
      unknownKinds.isEmpty ? log : VeiledLog(log, unknown: unknownKinds)
    return try await SQLiteProjections.open(at: directory, log: seen)
  }

  func close() async {
    await projections.close()
  }

  /// Names the events whose payloads a sync asks for.
  var settling: SyncSimulation.Settling {
    { [projections] in
      try await projections.settlingEvents().map(WantedEvent.init(settling:))
    }
  }

  // MARK: - What happens to it

  /// The process ended and was started again; what the files held is there.
  mutating func restart() async throws {
    await projections.close()
    projections = try await Self.projections(
      of: log, in: directory.appending("\(fileCount)"), unknownKinds)
  }

  /// A new build knows all kinds, and projects all events anew.
  mutating func upgrade() async throws {
    unknownKinds = []
    try await begin(with: log)
  }

  mutating func backUp() {
    backup = log.copy(isNoticed: false)
  }

  /// The directory was set back to the backup, if there is one.
  mutating func restore(isNoticed: Bool) async throws {
    guard let backup else { return }
    try await begin(with: backup.copy(isNoticed: isNoticed))
  }

  private mutating func begin(with log: InMemoryEventLog) async throws {
    await projections.close()
    self.log = log
    log.setRestatement(Self.restatement)
    fileCount += 1
    projections = try await Self.projections(
      of: log, in: directory.appending("\(fileCount)"), unknownKinds)
  }
}
