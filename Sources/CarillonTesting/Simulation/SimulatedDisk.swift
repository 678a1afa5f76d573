internal import CarillonLMDB
internal import CarillonModel
internal import Foundation
internal import Logging

/// The storage of a simulated replica's log: in memory, or in files.
protocol SimulatedDisk: Sendable {
  /// The open log.
  var log: any EventLog { get }
  /// The store directory; nil in memory.
  var directory: URL? { get }

  /// Returns a copy of the storage, with its log open.
  ///
  /// - Parameter isNoticed: Whether the copy takes a new identity when it is opened, as copies do.
  ///   Otherwise it continues under the same identity.
  func copy(isNoticed: Bool) throws -> any SimulatedDisk

  /// Closes the log, calls `meanwhile` with the directory of its files, and opens it again.
  func reopened(_ meanwhile: (URL) throws -> Void) async throws -> any SimulatedDisk
}

/// A log in memory, which has no files to change.
struct MemoryDisk: SimulatedDisk {
  private let contents: InMemoryEventLog

  init(_ contents: InMemoryEventLog) {
    self.contents = contents
  }

  var log: any EventLog { contents }
  var directory: URL? { nil }

  func copy(isNoticed: Bool) -> any SimulatedDisk {
    MemoryDisk(contents.copy(isNoticed: isNoticed))
  }

  func reopened(_ meanwhile: (URL) throws -> Void) -> any SimulatedDisk { self }
}

/// A log on LMDB in a directory of its own.
struct FileDisk: SimulatedDisk {
  let log: any EventLog
  private let place: TemporaryDirectory
  private let options: LMDBLogOptions

  private init(_ log: LMDBEventLog, _ place: TemporaryDirectory, _ options: LMDBLogOptions) {
    self.log = log
    self.place = place
    self.options = options
  }

  /// Creates an empty log.
  ///
  /// - Parameter makeReplicaID: Creates new identities, including those of copies.
  init(
    storeID: StoreID, replica: ReplicaID, makeReplicaID: @escaping @Sendable () -> ReplicaID
  ) throws {
    var options = LMDBLogOptions()
    options.initialMapByteCount = 1 << 26
    options.makeReplicaID = makeReplicaID
    options.logger = .silent
    let place = try TemporaryDirectory()
    let log = try LMDBEventLog.create(
      at: place.url, storeID: storeID, replica: replica, options: options)
    self.init(log, place, options)
  }

  var directory: URL? { place.url }

  func copy(isNoticed: Bool) throws -> any SimulatedDisk {
    let copy = try TemporaryDirectory()
    let (from, to) = (place.appending("log"), copy.appending("log"))
    try FileManager.default.createDirectory(at: to, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: from.appending(path: "data.mdb"), to: to.appending(path: "data.mdb"))
    // A copy is recognised by the marker's inode; a hard link to the marker has the same inode.
    if !isNoticed {
      try FileManager.default.linkItem(
        at: from.appending(path: "identity"), to: to.appending(path: "identity"))
    }
    return FileDisk(try LMDBEventLog.open(at: copy.url, options: options), copy, options)
  }

  func reopened(_ meanwhile: (URL) throws -> Void) async throws -> any SimulatedDisk {
    await log.close()
    try meanwhile(place.url)
    return FileDisk(try LMDBEventLog.open(at: place.url, options: options), place, options)
  }
}

extension Logger {
  /// Discards all messages: what a simulation does to its stores need not be reported.
  static var silent: Logger { Logger(label: "carillon") { _ in SwiftLogNoOpLogHandler() } }
}
