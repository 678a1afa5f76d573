internal import CarillonLMDB
internal import CarillonModel
internal import Foundation
internal import Logging

/// Where the log of a simulated replica lies: in memory, or in files.
protocol SimulatedDisk: Sendable {
  /// The log, open.
  var log: any EventLog { get }
  /// The store directory; nil in memory.
  var directory: URL? { get }

  /// A copy of all that lies there, with its log open.
  ///
  /// - Parameter isNoticed: Whether the copy takes a new identity when it is opened, as copies do;
  ///   else it goes on under the same name.
  func copy(isNoticed: Bool) throws -> any SimulatedDisk

  /// Closes the log, does something to the files, and opens it again.
  func reopened(_ meanwhile: (URL) throws -> Void) async throws -> any SimulatedDisk
}

/// A log in memory, to whose files nothing can happen.
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

  /// Makes an empty log.
  ///
  /// - Parameter makeReplicaID: Where new identities come from, also those of copies.
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
    // The marker tells a copy by its inode, which another link to it shares.
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
  /// Tells nobody anything: what a world does to its stores is not news.
  static var silent: Logger { Logger(label: "carillon") { _ in SwiftLogNoOpLogHandler() } }
}
