#if Service
import CarillonDocuments
import CarillonService
import Foundation
import NIOCore

/// The system's limit on open files for this process.
enum FileLimit {
  /// The files that the program has open besides connections: the store, what is read for answers,
  /// and connections that are refused.
  private static let others = 192 + OpenConnections.maxRefused

  /// What the program needs to start: the store, and what each thread of the server opens.
  private static let least = 64 + 4 * System.coreCount

  /// Raises the limit if the program could not start with it.
  ///
  /// Must be called before any task or thread: Dispatch ends the process if it gets no descriptor.
  ///
  /// - Returns: The failure to report if the limit stays too low, else nil.
  static func failure() -> ServeFailure? {
    guard let limit = raised(to: least), limit < least else { return nil }
    return ServeFailure(
      status: .inputOutput,
      message: "the limit on open files is \(limit); at least \(least) is required",
      hint: "raise the limit: ulimit -n \(least)")
  }

  /// Raises the limit for a number of connections, as far as the system allows.
  ///
  /// - Returns: The number of connections for which there are files.
  static func raise(to connections: Int) -> Int {
    guard let limit = raised(to: connections + others) else { return connections }
    return max(1, min(connections, limit - others))
  }

  /// Opens what Dispatch opens at the first sleep by each clock, and never closes.
  ///
  /// If no descriptor is free at that time, Dispatch ends the process.
  static func openClocks() async throws {
    try await Task.sleep(for: .milliseconds(1), clock: .continuous)
    try await Task.sleep(for: .milliseconds(1), clock: .suspending)
  }

  /// Raises the limit to a number of files if it is lower, as far as the system allows.
  ///
  /// - Returns: The limit; nil if the system does not say.
  private static func raised(to count: Int) -> Int? {
    #if canImport(Darwin)
    let resource = RLIMIT_NOFILE
    #else
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return nil }
    let before = limit.rlim_cur
    guard before < rlim_t(count) else { return Int(clamping: before) }
    limit.rlim_cur = min(limit.rlim_max, rlim_t(count))
    return Int(clamping: setrlimit(resource, &limit) == 0 ? limit.rlim_cur : before)
  }
}
#endif
