internal import CarillonLog
package import CarillonModel
package import Foundation
internal import Logging

/// The storage of a simulated replica's log: in memory, in files, or in a database.
package protocol SimulatedDisk: Sendable {
  /// The open log.
  var log: any EventLog { get }
  /// The store directory; nil if there are no files.
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

/// A log in files, in a directory of its own.
struct FileDisk: SimulatedDisk {
  let log: any EventLog
  private let place: TemporaryDirectory
  private let storage: any LogStorage
  private let options: LogOptions

  private init(
    _ log: any EventLog, _ place: TemporaryDirectory, _ storage: any LogStorage,
    _ options: LogOptions
  ) {
    self.log = log
    self.place = place
    self.storage = storage
    self.options = options
  }

  /// Creates an empty log.
  ///
  /// - Parameter makeReplicaID: Creates new identities, including those of copies.
  init(
    _ storage: any LogStorage, storeID: StoreID, replica: ReplicaID,
    makeReplicaID: @escaping @Sendable () -> ReplicaID
  ) throws {
    var options = LogOptions()
    options.makeReplicaID = makeReplicaID
    options.logger = .silent
    let place = try TemporaryDirectory()
    let making = try storage.make(
      at: place.url, storeID: storeID, replica: replica, options: options)
    try making.publish()
    self.init(making.log, place, storage, options)
  }

  var directory: URL? { place.url }

  func copy(isNoticed: Bool) throws -> any SimulatedDisk {
    let copy = try TemporaryDirectory()
    let names = try FileManager.default.subpathsOfDirectory(atPath: place.url.path)
    for name in names.sorted() where !Self.isForProcesses(name) {
      let (from, to) = (place.appending(name), copy.appending(name))
      if try from.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true {
        try FileManager.default.createDirectory(at: to, withIntermediateDirectories: true)
      } else if !isNoticed, name.hasSuffix("identity") {
        // A copy is recognised by the marker's inode; a hard link to the marker has the same inode.
        try FileManager.default.linkItem(at: from, to: to)
      } else {
        try FileManager.default.copyItem(at: from, to: to)
      }
    }
    return FileDisk(
      try storage.open(at: copy.url, options: options), copy, storage, options)
  }

  /// Whether a file is used only for coordination between the processes that have the log open.
  private static func isForProcesses(_ name: String) -> Bool {
    name.hasSuffix("lock.mdb") || name.hasSuffix("-shm")
  }

  func reopened(_ meanwhile: (URL) throws -> Void) async throws -> any SimulatedDisk {
    await log.close()
    try meanwhile(place.url)
    return FileDisk(
      try storage.open(at: place.url, options: options), place, storage, options)
  }
}

extension Logger {
  /// Discards all messages: what a simulation does to its stores need not be reported.
  static var silent: Logger { Logger(label: "carillon") { _ in SwiftLogNoOpLogHandler() } }
}
