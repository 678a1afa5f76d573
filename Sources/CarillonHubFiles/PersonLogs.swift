#if Service
internal import CarillonHub
internal import CarillonLog
internal import CarillonModel
internal import CarillonSQLiteLog
internal import Foundation
internal import Synchronization

/// The logs of people in a directory, opened when they are used.
///
/// A log is closed some time after its last use. Whoever still has it keeps it open until then.
final class PersonLogs: Sendable {
  private let directory: URL
  private let state = Mutex(State())

  private struct State {
    var open: [StoreID: OpenLog] = [:]
    var positions: [StoreID: KnownPosition] = [:]
  }

  private struct OpenLog {
    let log: SQLiteEventLog
    var lastUse: ContinuousClock.Instant
  }

  /// The last position of a log whose files had these sizes and times.
  private struct KnownPosition {
    let position: LogPosition
    let files: [FileState]
  }

  private struct FileState: Equatable {
    let size: Int64
    let seconds: Int
    let nanoseconds: Int
  }

  /// The number of logs above which the one that was not used for the longest time is closed.
  private static let maxOpen = 64
  /// How long a log stays open after its last use.
  private static let idleTime = Duration.seconds(30)

  init(in directory: String) {
    self.directory = URL(filePath: directory, directoryHint: .isDirectory)
  }

  /// Creates an empty log, in place of one that a killed process left without its person.
  func create(_ person: StoreID) throws {
    let place = place(of: person)
    try Self.remove(place)
    try SQLiteEventLog.create(at: place, storeID: person, replica: .random()).closeBlocking()
  }

  /// Returns the open log of a person, or opens it.
  ///
  /// - Parameter byteLimit: The most bytes that it may have after new events.
  func log(of person: StoreID, byteLimit: UInt64) throws -> SQLiteEventLog {
    let log = try log(of: person)
    log.setByteLimit(byteLimit)
    return log
  }

  private func log(of person: StoreID) throws -> SQLiteEventLog {
    let now = ContinuousClock.now
    closeIdle(at: now)
    let open = state.withLock { state in
      state.open[person]?.lastUse = now
      return state.open[person]?.log
    }
    if let open { return open }
    let opened = try SQLiteEventLog.open(at: place(of: person))
    opened.handle.rules = .hub
    let (log, oldest) = state.withLock { state -> (SQLiteEventLog, SQLiteEventLog?) in
      if let other = state.open[person]?.log { return (other, opened) }
      state.open[person] = OpenLog(log: opened, lastUse: now)
      guard state.open.count > Self.maxOpen,
        let oldest = state.open.min(by: { $0.value.lastUse < $1.value.lastUse })
      else { return (opened, nil) }
      return (opened, state.open.removeValue(forKey: oldest.key)?.log)
    }
    // Released outside of the lock, since that may close it.
    _ = oldest
    return log
  }

  /// Returns the last position of each log that can be used.
  func positions(of people: Set<StoreID>) throws -> [StoreID: LogPosition] {
    closeIdle(at: .now)
    var positions: [StoreID: LogPosition] = [:]
    for person in people {
      let files = files(of: person)
      let known = state.withLock { $0.positions[person] }
      if let known, known.files == files {
        positions[person] = known.position
        continue
      }
      let position: LogPosition
      do {
        position = try log(of: person).lastPosition()
      } catch let error as LogError where error.isOfOneLog {
        continue
      }
      positions[person] = position
      state.withLock {
        $0.positions[person] = KnownPosition(position: position, files: files)
      }
    }
    state.withLock { state in
      if state.positions.count > 2 * people.count {
        state.positions = state.positions.filter { people.contains($0.key) }
      }
    }
    return positions
  }

  func fileCount(_ person: StoreID) throws -> Int {
    let place = place(of: person).path
    guard FileManager.default.fileExists(atPath: place) else { return 0 }
    return try FileManager.default.subpathsOfDirectory(atPath: place).count
  }

  /// Closes a person's log, and removes its files.
  func remove(_ person: StoreID) async throws {
    let open = state.withLock { state in
      state.positions[person] = nil
      return state.open.removeValue(forKey: person)?.log
    }
    await open?.close()
    try Self.remove(place(of: person))
  }

  func close() async {
    let open = state.withLock { state in
      defer { state.open = [:] }
      return state.open.values.map(\.log)
    }
    for log in open { await log.close() }
  }

  // MARK: -

  /// The directories are spread over 256, since many systems are slow with very large ones.
  private func place(of person: StoreID) -> URL {
    let name = person.description
    return directory.appending(path: "\(name.suffix(2))/\(name)", directoryHint: .isDirectory)
  }

  private func closeIdle(at now: ContinuousClock.Instant) {
    let idle = state.withLock { state in
      let idle = state.open.filter { now - $0.value.lastUse > Self.idleTime }
      for person in idle.keys { state.open[person] = nil }
      return idle
    }
    _ = idle
  }

  /// The files that each commit changes.
  private func files(of person: StoreID) -> [FileState] {
    ["log.sqlite", "log.sqlite-wal"].map { name in
      var status = stat()
      guard stat(place(of: person).appending(path: name).path, &status) == 0 else {
        return FileState(size: -1, seconds: 0, nanoseconds: 0)
      }
      #if canImport(Darwin)
      let time = status.st_mtimespec
      #else
      let time = status.st_mtim
      #endif
      return FileState(
        size: Int64(status.st_size), seconds: time.tv_sec, nanoseconds: time.tv_nsec)
    }
  }

  private static func remove(_ place: URL) throws {
    do {
      try FileManager.default.removeItem(at: place)
      try MadeDirectories.sync(MadeDirectories.parent(of: place.path))
    } catch let error as CocoaError where error.code == .fileNoSuchFile {
    } catch let error as LogError where error.code == .notFound {
    } catch let error as CocoaError {
      throw LogError(
        code: .io, message: "cannot remove \(place.path): \(error.localizedDescription)")
    }
  }
}
#endif
