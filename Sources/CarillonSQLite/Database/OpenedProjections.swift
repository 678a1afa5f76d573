internal import Foundation
internal import Synchronization

/// A projection file that was opened to look for a kept plan, for the projections that are opened
/// next.
///
/// Opening a file reads all of its write-ahead log, and closing it seals that log.
///
/// Sendable: the connection is only used after it was taken, which happens once.
package final class OpenedProjections: Sendable {
  private let file: URL
  private let connection: Mutex<Connection?>

  init(_ connection: Connection, to file: URL) {
    self.file = file
    self.connection = Mutex(connection)
  }

  deinit { close() }

  /// Returns the connection, once; nil if it is to another file.
  func take(for file: URL) -> Connection? {
    guard file == self.file else { return nil }
    return connection.withLock { $0.take() }
  }

  /// Closes the file, unless its connection was taken.
  func close() {
    connection.withLock { $0.take() }?.close()
  }
}
