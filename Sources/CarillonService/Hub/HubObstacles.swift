#if Service
import CarillonHub
import Logging
import Synchronization

/// What keeps the parts of a database from being written, as requests have met it lately.
final class HubObstacles: Sendable {
  private let logger: Logger
  private let found = Mutex<[HubQueue.Part: Found]>([:])

  private struct Found {
    let obstacle: HubObstacle
    /// When a request met it last.
    var last: ContinuousClock.Instant
    /// When it was logged last.
    let logged: ContinuousClock.Instant
  }

  /// How long an obstacle counts after a request has met it.
  ///
  /// Nobody writes to a process that is not ready, so only time can end that.
  private static let lifetime = Duration.seconds(30)
  /// The time between two lines of the log about one obstacle.
  private static let logInterval = Duration.seconds(60)

  init(_ logger: Logger) {
    self.logger = logger
  }

  /// Notes and logs what a request has met.
  func note(_ obstacle: HubObstacle, in part: HubQueue.Part, at now: ContinuousClock.Instant = .now)
  {
    let isNews = found.withLock { found in
      if let known = found[part], known.obstacle == obstacle,
        now - known.logged < Self.logInterval
      {
        found[part]?.last = now
        return false
      }
      found[part] = Found(obstacle: obstacle, last: now, logged: now)
      return true
    }
    guard isNews else { return }
    let group = if case .group(let name) = part { name } else { "all" }
    logger.error(
      "nothing can be written: \(obstacle.rawValue)",
      metadata: ["group": "\(group)", "hint": "\(obstacle.hint)"])
  }

  /// Returns what requests have met lately; nil if nothing.
  func current(
    in part: HubQueue.Part, at now: ContinuousClock.Instant = .now
  ) -> HubObstacle? {
    found.withLock { found in
      found[part].flatMap { found in
        found.obstacle.isPermanent || now - found.last < Self.lifetime ? found.obstacle : nil
      }
    }
  }
}
#endif
