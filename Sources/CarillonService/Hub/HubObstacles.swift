#if Service
import CarillonHub
import Logging
import Synchronization

/// What keeps the parts of a database from being written, as requests have met it lately.
final class HubObstacles: Sendable {
  private let logger: Logger
  private let hint: @Sendable (HubObstacle) -> String
  private let found = Mutex<[HubQueue.Part: Found]>([:])

  private struct Found {
    /// What a request met last.
    var obstacle: HubObstacle
    var last: ContinuousClock.Instant
    /// Whether a request has succeeded since, which shows that the obstacle is over.
    var isDisproved = false
    /// What the log has named since this began.
    var named: Set<HubObstacle> = []
    var lastLine: ContinuousClock.Instant
    /// Whether it began soon after the end of another one.
    var isRepeated = false
    /// When the log said that it is over; nil if it is not.
    var end: ContinuousClock.Instant?

    /// How long no request must have met an obstacle before the log says that it is over.
    ///
    /// What begins again and again is over when it has stayed away for longer.
    var quietTime: Duration {
      isRepeated ? HubObstacles.logInterval : HubObstacles.quietTime
    }

    /// The obstacle, if it still counts.
    func current(at now: ContinuousClock.Instant) -> HubObstacle? {
      let age = now - last
      guard end == nil, !isDisproved || age < HubObstacles.quietTime else { return nil }
      return obstacle.isPermanent || age < HubObstacles.lifetime ? obstacle : nil
    }
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

  /// - Parameter hint: Returns what the operator can do, for the log.
  init(_ logger: Logger, hint: @escaping @Sendable (HubObstacle) -> String = \.hint) {
    (self.logger, self.hint) = (logger, hint)
  }

  /// Notes what a request has met, and logs it unless that would repeat a recent line.
  ///
  /// - Parameter problem: What the database says, for the log alone.
  func note(
    _ obstacle: HubObstacle, _ problem: String, in part: HubQueue.Part,
    at now: ContinuousClock.Instant = .now
  ) {
    let isNews = found.withLock { all in
      var found = all[part] ?? Found(obstacle: obstacle, last: now, lastLine: now)
      if let end = found.end {
        let isRepeated = now - end < Self.logInterval
        found = Found(obstacle: obstacle, last: now, lastLine: now, isRepeated: isRepeated)
      }
      (found.obstacle, found.last, found.isDisproved) = (obstacle, now, false)
      let isNews =
        found.named.insert(obstacle).inserted || now - found.lastLine >= Self.logInterval
      if isNews { found.lastLine = now }
      all[part] = found
      return isNews
    }
    guard isNews else { return }
    logger.error(
      "nothing can be written: \(obstacle.rawValue)",
      metadata: [
        "group": "\(part.name)", "hint": "\(hint(obstacle))", "problem": "\(problem)",
      ])
  }

  /// Notes that a request has succeeded, which ends an obstacle once no request has met it for a
  /// time.
  ///
  /// - Parameter isOver: Whether the success shows that an obstacle is over.
  func end(
    in part: HubQueue.Part, at now: ContinuousClock.Instant = .now,
    where isOver: (HubObstacle) -> Bool = { _ in true }
  ) {
    let wait = found.withLock { all -> Duration? in
      guard let found = all[part], found.end == nil, !found.isDisproved, isOver(found.obstacle)
      else { return nil }
      all[part]?.isDisproved = true
      return found.last + found.quietTime - now
    }
    guard let wait else { return }
    guard wait > .zero else { return settle(part, at: now) }
    // Perhaps no later request says so.
    Task {
      try? await Task.sleep(for: wait)
      settle(part, at: .now)
    }
  }

  /// Ends and logs an obstacle that is over.
  func settle(_ part: HubQueue.Part, at now: ContinuousClock.Instant) {
    let ended = found.withLock { all -> HubObstacle? in
      guard let found = all[part], found.end == nil, found.isDisproved,
        now - found.last >= found.quietTime
      else { return nil }
      all[part]?.end = now
      return found.obstacle
    }
    guard let ended else { return }
    logger.notice("this is over: \(ended.rawValue)", metadata: ["group": "\(part.name)"])
  }

  /// Returns what requests have met lately; nil if nothing.
  ///
  /// All groups have the obstacle of any.
  func current(
    in part: HubQueue.Part, at now: ContinuousClock.Instant = .now
  ) -> HubObstacle? {
    found.withLock { all in
      let found = part == .allGroups ? Array(all.values) : all[part].map { [$0] } ?? []
      return found.lazy.compactMap { $0.current(at: now) }.first
    }
  }
}

extension HubQueue.Part {
  /// The name in the log.
  fileprivate var name: String { if case .group(let name) = self { name } else { "all" } }
}
#endif
