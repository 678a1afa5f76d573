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
  /// Nobody writes to a process that is not ready, so time must be able to end that.
  private static let lifetime = Duration.seconds(30)
  /// How long no request must have met an obstacle before a success ends it.
  ///
  /// Successes and failures that alternate are one obstacle.
  private static let quietTime = Duration.seconds(1)
  /// The time between two lines of the log about one obstacle.
  private static let logInterval = Duration.seconds(60)

  init(_ logger: Logger) {
    self.logger = logger
  }

  /// Notes and logs what a request has met.
  ///
  /// - Parameter problem: What the database says, for the log alone.
  func note(
    _ obstacle: HubObstacle, _ problem: String, in part: HubQueue.Part,
    at now: ContinuousClock.Instant = .now
  ) {
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
    logger.error(
      "nothing can be written: \(obstacle.rawValue)",
      metadata: [
        "group": "\(part.name)", "hint": "\(obstacle.hint)", "problem": "\(problem)",
      ])
  }

  /// Notes and logs that a request has succeeded, which ends an obstacle.
  ///
  /// - Parameter isOver: Whether the success shows that an obstacle is over.
  func end(
    in part: HubQueue.Part, at now: ContinuousClock.Instant = .now,
    where isOver: (HubObstacle) -> Bool = { _ in true }
  ) {
    let ended = found.withLock { found -> HubObstacle? in
      guard let known = found[part], isOver(known.obstacle), now - known.last >= Self.quietTime
      else { return nil }
      found[part] = nil
      return known.obstacle
    }
    guard let ended else { return }
    logger.notice("this is over: \(ended.rawValue)", metadata: ["group": "\(part.name)"])
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

extension HubQueue.Part {
  /// The name in the log.
  fileprivate var name: String { if case .group(let name) = self { name } else { "all" } }
}
#endif
