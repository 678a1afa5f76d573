import CarillonDocuments
import Foundation

/// The system's limit on open files for this process.
enum OpenFileLimit {
  /// More than any verb needs, including a sync of two stores in one process.
  private static let least = 48

  /// Raises the limit if it is low and may be raised.
  ///
  /// Must be called before any task or thread: Dispatch ends the process if it gets no descriptor.
  ///
  /// - Returns: The failure to report if the limit stays too low, else nil.
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
      message: "the limit on open files is \(limit.rlim_cur); at least \(least) is required",
      hint: "raise the limit: ulimit -n \(least)")
  }
}
