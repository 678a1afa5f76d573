#if Service
import Foundation

/// The system's limit on open files for this process.
enum FileLimit {
  /// The files that the program has open besides connections.
  private static let others: rlim_t = 64

  /// Raises the limit for a number of connections, as far as the system allows.
  ///
  /// With fewer files, further connections wait until others end.
  static func raise(to connections: Int) {
    #if canImport(Darwin)
    let resource = RLIMIT_NOFILE
    #else
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
    var limit = rlimit()
    let needed = rlim_t(connections) + others
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < needed else { return }
    limit.rlim_cur = min(limit.rlim_max, needed)
    setrlimit(resource, &limit)
  }
}
#endif
