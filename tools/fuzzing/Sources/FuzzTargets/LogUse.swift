import CarillonModel
import CarillonTesting
import Logging

/// What the targets do with a log in files.
enum LogUse {
  private static let noon = Instant(milliseconds: 1_790_000_000_000)

  /// Options without reports of repairs.
  static var options: LogOptions {
    var options = LogOptions()
    options.logger.logLevel = .critical
    return options
  }

  /// Runs each operation, even if an earlier one failed.
  static func all(_ log: some StoredLog) async {
    var history = EventHistory(ReplicaID(high: 9, low: 9))
    let runs = [history.run(count: 5), history.run(count: 1, text: "more")]
    let events = (0..<20).map { NewEvent(payload: Array("event \($0)".utf8)) }
    _ = try? log.scan(after: .start) { _ in true }
    for branch in (try? log.branches()) ?? [] {
      _ = try? log.scan(branch: branch.index, from: .first) { _ in true }
      _ = try? log.position(of: branch.headID)
    }
    _ = try? log.verify(maxProblemCount: 100)
    _ = try? await log.append(runs, wallClock: noon, erasures: nil)
    for _ in 0..<3 { _ = try? await log.record(events, wallClock: noon, expecting: nil) }
  }

  /// The rounds of ``fill(_:rounds:)`` with which seeds are made.
  static let sizes = [0, 1, 3]

  /// Writes branches, a fork and large payloads; without rounds, nothing.
  static func fill(_ log: some StoredLog, rounds: Int) async throws {
    guard rounds > 0 else { return }
    var trunk = EventHistory(ReplicaID(high: 9, low: 9))
    _ = try await log.append([trunk.run(count: 5)], wallClock: noon, erasures: nil)
    var twig = trunk
    for round in 0..<rounds {
      let large = [UInt8](repeating: UInt8(round), count: round == 1 ? 5_000 : 200)
      let events = [NewEvent(payload: large), NewEvent(payload: [1])]
      _ = try await log.record(events, wallClock: noon, expecting: nil)
      let runs = [trunk.run(count: 3, text: "trunk"), twig.run(count: 2, text: "twig")]
      _ = try await log.append(runs, wallClock: noon, erasures: nil)
    }
  }
}
