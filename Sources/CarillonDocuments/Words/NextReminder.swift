package import Carillon
package import CarillonModel

/// A habit's next reminder.
package enum NextReminder: Sendable {
  case fires(Instant)
  /// A place is watched.
  case place
  /// The habit has no schedule with a time.
  case noSchedule
  /// Another device reminds, at an instant if the reminder has a time.
  case elsewhere(ReplicaID, name: String, Instant?)
  /// Reminders are off on this device; the instant is that of the reminder if it has a time.
  case blocked(Blocked, Instant?)
  /// The next occurrence is beyond the days that are planned.
  case later(Instant, words: String)
  /// The next occurrence, if there is one in the days ahead, does not fire on this device.
  case silent(Explanation?, words: String)

  /// - Parameters:
  ///   - today: The date of the heading, which differs from the calendar's until the day start.
  ///   - isCauseBelow: Whether a line below says why reminders are off on this device.
  package func text(
    _ time: LocalTime, today: CivilDate, isCauseBelow: Bool = false
  ) -> String {
    switch self {
    case .fires(let instant):
      guard time.date(of: instant) == today else { return time.text(instant) }
      let distance = time.distance(to: instant)
      return "today \(time.clock(instant))" + (distance.isEmpty ? "" : ", \(distance)")
    case .place: return "at a place"
    case .noSchedule: return "none"
    case .elsewhere(_, let name, _): return "on \(name)"
    case .blocked(let blocked, _): return isCauseBelow ? "off" : Self.detail(blocked)
    case .later(_, let words), .silent(_, let words): return words
    }
  }

  private static func detail(_ blocked: Blocked) -> String { "off: \(blocked.cause)" }

  /// `{fireAt}`, `{place}`, or `{reason,detail}` with what belongs to the reason; null without a
  /// schedule with a time.
  ///
  /// The instant of a reminder that does not fire on this device, or is not planned yet, is
  /// `scheduledAt`.
  package func json(_ time: LocalTime) -> JSON {
    func scheduled(_ instant: Instant?) -> JSON {
      instant.map { ["scheduledAt": .text(time.rfc3339($0))] } ?? [:]
    }
    return switch self {
    case .fires(let instant): ["fireAt": .text(time.rfc3339(instant))]
    case .place: ["place": .bool(true)]
    case .noSchedule: .null
    case .elsewhere(let replica, let name, let instant):
      Self.json(Explanation.Reason.otherDevice, "on \(name)").merging(scheduled(instant))
        .merging(["replica": .text(replica.description)])
    case .blocked(let blocked, let instant):
      Self.json(blocked, Self.detail(blocked)).merging(scheduled(instant))
    case .later(let instant, let words):
      Self.json(Explanation.Reason.beyondHorizon, words).merging(scheduled(instant))
    case .silent(let explanation, let words): Self.json(explanation?.reason, words)
    }
  }

  private static func json(_ reason: (some RawRepresentable<String>)?, _ detail: String) -> JSON {
    ["reason": .text(reason?.rawValue), "detail": .text(detail)]
  }
}

/// The next reminders of habits, by a plan.
package struct Reminders: Sendable {
  private let blocked: Blocked?
  /// The requests of each habit in the plan.
  private let planned: [HabitID: [NotificationRequest]]
  /// What happens to the next occurrence of each habit without a request.
  private let silent: [HabitID: Explanation]
  private let words: ReasonWords
  private let waiting: WaitingWords
  /// The devices that remind of habits with an owner policy, if this device may not.
  private let deliverers: [Habit.Owner: ReplicaID]

  /// Reads from a store what happens next to the habits.
  package init(
    _ plan: NotificationPlan, of habits: [Habit], _ store: Store, _ time: LocalTime,
    _ terms: Terms = .plain
  ) async throws {
    blocked = plan.blocked
    let planned = plan.requests.reduce(into: [HabitID: [NotificationRequest]]()) { found, request in
      for habit in Set(request.occurrences.map(\.habit)) {
        found[habit, default: []].append(request)
      }
    }
    self.planned = planned
    words = try await ReasonWords(store, time, terms)
    waiting = try await WaitingWords(store, time)
    deliverers = plan.blocked == nil ? [:] : try await store.deliverers()
    let others = habits.filter { !$0.schedules.isEmpty && planned[$0.id] == nil }
    let next = others.isEmpty ? [] : try await store.nextExplanations(of: Set(others.map(\.id)))
    silent = Dictionary(next.map { ($0.habit.id, $0.1) }) { first, _ in first }
  }

  /// Returns the next reminder of one of the habits.
  package func next(of habit: Habit) -> NextReminder {
    if let own = planned[habit.id] {
      let first = own.compactMap(\.fireAt).min()
      guard let blocked else { return first.map { .fires($0) } ?? .place }
      return deliverers[habit.owner].map { elsewhere($0, first) } ?? .blocked(blocked, first)
    }
    guard habit.schedules.contains(where: { !$0.times.isEmpty || $0.rule.hasOwnTimes }) else {
      return .noSchedule
    }
    guard let explanation = silent[habit.id] else {
      return .silent(nil, words: waiting.text(habit))
    }
    if let instant = explanation.fireAt, let words = waiting.later(explanation) {
      return .later(instant, words: words)
    }
    if explanation.reason == .otherDevice, case .device(let other) = explanation.detail {
      return elsewhere(other, explanation.fireAt)
    }
    return .silent(explanation, words: words.text(explanation, of: habit))
  }

  private func elsewhere(_ device: ReplicaID, _ instant: Instant?) -> NextReminder {
    .elsewhere(device, name: words.delivery.name(device), instant)
  }
}
