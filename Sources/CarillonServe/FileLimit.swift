#if Service
import CarillonService
import Foundation

/// The system's limit on open files for this process.
enum FileLimit {
  /// The files that the program has open besides connections: the store, what is read for answers,
  /// and connections that are refused.
  private static let others = 192 + OpenConnections.maxRefused

  /// Raises the limit for a number of connections, as far as the system allows.
  ///
  /// - Returns: The number of connections for which there are files.
  static func raise(to connections: Int) -> Int {
    #if canImport(Darwin)
    let resource = RLIMIT_NOFILE
    #else
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return connections }
    let needed = rlim_t(connections + others)
    if limit.rlim_cur < needed {
      limit.rlim_cur = min(limit.rlim_max, needed)
      guard setrlimit(resource, &limit) == 0, getrlimit(resource, &limit) == 0 else { return 1 }
    }
    return max(1, min(connections, Int(clamping: limit.rlim_cur) - others))
  }
}
#endif
