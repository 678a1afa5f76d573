#if Service
import CarillonDocuments
import CarillonService
import NIOCore

/// The files that a service has open.
enum FileLimit {
  /// The files that the program has open besides connections: the store, what is read for answers,
  /// and connections that are refused.
  private static let others = 192 + OpenConnections.maxRefused

  /// What the program needs to start: the store, and what each thread of the server opens.
  static let least = 64 + 4 * System.coreCount

  /// Raises the limit for a number of connections, as far as the system allows.
  ///
  /// - Returns: The number of connections for which there are files.
  static func raise(to connections: Int) -> Int {
    guard let limit = OpenFileLimit.raised(to: connections + others) else { return connections }
    return max(1, min(connections, limit - others))
  }

  /// Opens what Dispatch opens at the first sleep by each clock, and never closes.
  ///
  /// If no descriptor is free at that time, Dispatch ends the process.
  static func openClocks() async throws {
    try await Task.sleep(for: .milliseconds(1), clock: .continuous)
    try await Task.sleep(for: .milliseconds(1), clock: .suspending)
  }
}
#endif
