internal import CarillonLog
internal import CarillonModel
internal import Foundation
internal import Synchronization

/// The connections of one handle: one idle connection, and one more for each thread that reads or
/// writes at the same time.
final class ConnectionPool: Sendable {
  /// Guards the connections; held only briefly.
  private let state: Mutex<State>
  private let options: LogOptions

  private struct State {
    var path: String
    let access: Connection.Access
    var resting: Connection?
    var isClosed = false
  }

  /// - Parameter connection: The first connection.
  init(_ connection: Connection, options: LogOptions) {
    state = Mutex(
      State(path: connection.path, access: connection.access, resting: connection))
    self.options = options
  }

  var isReadOnly: Bool { state.withLock(\.access.isReadOnly) }

  /// Returns a connection for the caller's exclusive use; the caller must return it with
  /// ``put(_:)``.
  ///
  /// - Throws: `closed`; `io` if the file cannot be opened.
  func take() throws -> Connection {
    let (path, access, resting) = try state.withLock { state in
      guard !state.isClosed else { throw LogError.handleClosed }
      defer { state.resting = nil }
      return (state.path, state.access, state.resting)
    }
    return try resting
      ?? Connection(
        path, for: access, busyTimeout: options.busyTimeout, durability: options.durability)
  }

  /// Returns a connection to the pool.
  func put(_ connection: Connection) {
    let isKept = state.withLock { state in
      guard !state.isClosed, state.resting == nil, state.path == connection.path else {
        return false
      }
      state.resting = connection
      return true
    }
    if !isKept { connection.close() }
  }

  /// Calls `body` with a connection.
  func with<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let connection = try take()
    defer { put(connection) }
    return try body(connection)
  }

  /// Closes the connections; a connection in use is closed when it is returned.
  func close() {
    let resting = state.withLock { state in
      state.isClosed = true
      defer { state.resting = nil }
      return state.resting
    }
    resting?.close()
  }

  /// Syncs the journal, and with it all commits; nothing to do if there is none.
  ///
  /// Checkpoints sync the commits that they move from the journal to the file.
  func sync() throws {
    let path = state.withLock(\.path) + LogFormat.suffixes[0]
    // SQLite has no locks on its journal, which closing the descriptor would release.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return }
      throw LogError.refused(errno, "cannot open \(path)")
    }
    defer { Foundation.close(descriptor) }
    guard fsync(descriptor) == 0 else { throw LogError.refused(errno, "cannot sync \(path)") }
  }

  /// Moves all commits into the file, closes the connections, moves the file, and opens it at its
  /// new path.
  ///
  /// - Parameter move: Moves the file; no connection to it is open then.
  /// - Throws: `full` if the commits do not fit on the disk, and the errors of `move`.
  func move(to path: String, _ move: () throws -> Void) throws {
    // Closing does the same, but without an error if it fails.
    try with { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
    close()
    try move()
    let connection = try Connection(
      path, for: .shared, busyTimeout: options.busyTimeout, durability: options.durability)
    state.withLock { state in
      state.path = path
      state.resting = connection
      state.isClosed = false
    }
  }
}
