internal import Foundation
internal import Synchronization

/// A projection file that was opened to look for a kept plan, for the projections that are opened
/// next.
///
/// Opening a file reads all of its write-ahead log, and closing it seals that log.
///
/// Sendable: whoever takes the connection is the only one to use it.
package final class OpenedProjections: @unchecked Sendable {
  private let file: URL
  private let connection: Connection
  /// Whether the connection was taken or closed.
  private let isTaken = Atomic(false)

  init(_ connection: Connection, to file: URL) {
    self.file = file
    self.connection = connection
  }

  deinit { close() }

  /// Returns the connection, once; nil if it is to another file.
  func take(for file: URL) -> Connection? {
    guard file == self.file, !isTaken.exchange(true, ordering: .acquiringAndReleasing) else {
      return nil
    }
    return connection
  }

  /// Closes the file, unless its connection was taken.
  func close() {
    if !isTaken.exchange(true, ordering: .acquiringAndReleasing) { connection.close() }
  }
}
