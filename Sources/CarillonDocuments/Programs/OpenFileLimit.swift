import Foundation

/// The system's limit on open files for this process.
package enum OpenFileLimit {
  /// Raises the limit to what a program needs to start.
  ///
  /// Must be called before any task or thread: Dispatch ends the process if it gets no descriptor.
  ///
  /// - Returns: The failure to report if the limit stays too low, else nil.
  package static func failure<Failure: ProgramFailure>(least: Int) -> Failure? {
    guard let limit = raised(to: least), limit < least else { return nil }
    return Failure(
      status: .inputOutput, code: "io",
      message: "the limit on open files is \(limit); at least \(least) is required",
      hint: "raise the limit: ulimit -n \(least)")
  }

  /// Raises the limit to a number of files if it is lower, as far as the system allows.
  ///
  /// - Returns: The limit; nil if the system does not say.
  package static func raised(to count: Int) -> Int? {
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
