import Foundation

/// How many files the system lets this process have open.
enum OpenFileLimit {
  /// More than any verb needs, sync of two stores in one process among them.
  private static let least = 48

  /// Raises the limit where it is low and may be raised.
  ///
  /// Called before all else: what the process runs on ends it where it gets no descriptor.
  ///
  /// - Returns: What is wrong where it stays too low.
  static func failure() -> CommandFailure? {
    var limit = rlimit()
    #if canImport(Darwin)
      let resource = RLIMIT_NOFILE
    #else
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < least else { return nil }
    limit.rlim_cur = min(limit.rlim_max, rlim_t(least))
    guard setrlimit(resource, &limit) != 0 || limit.rlim_cur < least else { return nil }
    return CommandFailure(
      status: .inputOutput, code: "io",
      message: "\(limit.rlim_cur) files may be open at once; \(least) are needed",
      hint: "raise the limit: ulimit -n \(least)")
  }
}
