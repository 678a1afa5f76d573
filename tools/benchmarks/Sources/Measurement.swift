import Foundation

/// The result of one verb, which the harness reads as one line of JSON.
struct Measurement {
  /// The number of events, rows or plans.
  var count: Int
  var seconds = 0.0
  var cpuSeconds = 0.0
  /// Figures of this verb only.
  var details: [String: Any] = [:]

  /// Runs a piece of work and measures its wall and CPU time.
  static func timing(_ count: Int, _ work: () async throws -> Void) async throws -> Measurement {
    let memory = MemoryWatch()
    let cpu = cpuSeconds()
    let clock = ContinuousClock()
    let start = clock.now
    try await work()
    let elapsed = (clock.now - start).components
    return Measurement(
      count: count, seconds: Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18,
      cpuSeconds: cpuSeconds() - cpu, details: ["anonymousMegabytes": memory.end()])
  }

  var json: String {
    get throws {
      var fields = details
      fields["count"] = count
      fields["seconds"] = seconds
      fields["cpuSeconds"] = cpuSeconds
      let data = try JSONSerialization.data(withJSONObject: fields, options: .sortedKeys)
      return String(decoding: data, as: UTF8.self)
    }
  }

  /// The process's CPU time so far, user and system.
  private static func cpuSeconds() -> Double {
    var usage = rusage()
    #if canImport(Glibc)
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #else
    getrusage(RUSAGE_SELF, &usage)
    #endif
    return [usage.ru_utime, usage.ru_stime].reduce(0) {
      $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6
    }
  }
}
