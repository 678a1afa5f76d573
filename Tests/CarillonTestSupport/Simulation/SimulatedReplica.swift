internal import CarillonModel
internal import CarillonSQLite
internal import Carillon
internal import CarillonWire
internal import Foundation
internal import Logging

/// One replica of a simulated world: a log, its projections, a clock, and perhaps a backup.
struct SimulatedReplica: Sendable {
  private(set) var disk: any SimulatedDisk
  private(set) var projections: SQLiteProjections
  /// The time of this replica's device.
  var clock: Instant
  /// The kinds of payload that this replica's build does not know.
  private(set) var unknownKinds: Set<UInt32>
  private(set) var backup: (any SimulatedDisk)?
  /// Whether events in its file are damaged.
  var isDamaged = false
  private let directory: TemporaryDirectory
  /// The number of projection files so far; each has a directory of its own.
  private var fileCount = 0

  /// - Parameter disk: Storage that no other replica writes to.
  init(_ disk: any SimulatedDisk, clock: Instant, unknownKinds: Set<UInt32>) async throws {
    self.disk = disk
    self.clock = clock
    self.unknownKinds = unknownKinds
    directory = try TemporaryDirectory()
    projections = try await Self.projections(
      of: disk.log, in: directory.appending("0"), unknownKinds)
  }

  var log: any EventLog { disk.log }

  /// Announces a new identity with its predecessor.
  private static let announcement: IdentityAnnouncement = { identity in
    let description = DeviceDescription(
      name: "copy", role: .watch, zone: "UTC", zoneDataVersion: "2025b", capacity: 64,
      predecessor: identity.predecessor)
    return [NewEvent(payload: try PayloadCoding.encode(.deviceDescribed(description)))]
  }

  private static func projections(
    of log: any EventLog, in directory: URL, _ unknownKinds: Set<UInt32>
  ) async throws -> SQLiteProjections {
    log.setIdentityAnnouncement(announcement)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let seen: any EventLog =
      unknownKinds.isEmpty ? log : OlderBuildLog(log, unknown: unknownKinds)
    return try await SQLiteProjections.open(at: directory, log: seen, logger: .silent)
  }

  func close() async {
    await projections.close()
    await log.close()
    await backup?.log.close()
  }

  /// What the replica's projections report to a sync.
  var contents: SyncContents { SyncContents(projections) }

  // MARK: - Events in a replica's life

  /// Ends the process and starts it again.
  ///
  /// The files keep their content, except for what `meanwhile` changes.
  mutating func restart(_ meanwhile: (URL) throws -> Void = { _ in }) async throws {
    await projections.close()
    disk = try await disk.reopened(meanwhile)
    projections = try await Self.projections(
      of: log, in: directory.appending("\(fileCount)"), unknownKinds)
  }

  /// Installs a build that knows all kinds, and projects all events again.
  mutating func upgrade() async throws {
    unknownKinds = []
    await projections.close()
    try await projectAnew()
  }

  mutating func backUp() async throws {
    await backup?.log.close()
    backup = try disk.copy(isNoticed: false)
  }

  /// Restores the directory from the backup, if there is one.
  mutating func restore(isNoticed: Bool) async throws {
    guard let backup else { return }
    await projections.close()
    await log.close()
    disk = try backup.copy(isNoticed: isNoticed)
    try await projectAnew()
  }

  private mutating func projectAnew() async throws {
    fileCount += 1
    projections = try await Self.projections(
      of: log, in: directory.appending("\(fileCount)"), unknownKinds)
  }
}
