import Carillon
import CarillonModel
import Foundation

/// A habit's next reminder.
enum NextReminder {
  case fires(Instant)
  /// A place is watched.
  case place
  /// The habit has no schedule with a time.
  case noSchedule
  /// Another device reminds.
  case elsewhere(ReplicaID, name: String)
  /// Nothing is delivered on this device.
  case blocked(Blocked)
  /// The next occurrence is beyond the days that are planned.
  case later(Instant, words: String)
  /// The next occurrence, if there is one in the days ahead, does not fire on this device.
  case silent(Explanation?, words: String)

  /// - Parameters:
  ///   - today: The date of the heading, which differs from the calendar's until the day start.
  ///   - isBlockTold: Whether a line below says why nothing is delivered on this device.
  func text(_ time: LocalTime, today: CivilDate, isBlockTold: Bool = false) -> String {
    switch self {
    case .fires(let instant):
      guard time.date(of: instant) == today else { return time.text(instant) }
      let distance = time.distance(to: instant)
      return "today \(time.clock(instant))" + (distance.isEmpty ? "" : ", \(distance)")
    case .place: return "at a place"
    case .noSchedule: return "none"
    case .elsewhere(_, let name): return "on \(name)"
    case .blocked(let blocked):
      return isBlockTold ? Self.undelivered(blocked) : Self.detail(blocked)
    case .later(_, let words), .silent(_, let words): return words
    }
  }

  private static func detail(_ blocked: Blocked) -> String {
    "\(undelivered(blocked)): \(blocked.cause)"
  }

  private static func undelivered(_ blocked: Blocked) -> String {
    blocked == .notDetermined ? "not delivered yet" : "not on this device"
  }

  func json(_ time: LocalTime) -> JSON {
    switch self {
    case .fires(let instant): ["fireAt": .text(time.rfc3339(instant))]
    case .place: ["place": .bool(true)]
    case .noSchedule: .null
    case .elsewhere(let replica, let name):
      [
        "reason": .text(Explanation.Reason.otherDevice.rawValue), "detail": .text("on \(name)"),
        "replica": .text(replica.description),
      ]
    case .blocked(let blocked):
      ["reason": .text(blocked.rawValue), "detail": .text(Self.detail(blocked))]
    case .later(let instant, let words):
      [
        "reason": .text(Explanation.Reason.beyondHorizon.rawValue), "detail": .text(words),
        "scheduledAt": .text(time.rfc3339(instant)),
      ]
    case .silent(let explanation, let words):
      ["reason": .text(explanation?.reason.rawValue), "detail": .text(words)]
    }
  }
}

/// The next reminders of habits, by a plan.
struct Reminders {
  private let blocked: Blocked?
  /// The requests of each habit in the plan.
  private let planned: [HabitID: [NotificationRequest]]
  /// What happens to the next occurrence of each habit without a request.
  private let silent: [HabitID: Explanation]
  private let words: ReasonWords
  private let waiting: WaitingWords
  /// The devices that remind of habits with an owner policy, if this device may not.
  private let deliverers: [Habit.Owner: ReplicaID]

  init(
    _ plan: NotificationPlan, of habits: [Habit], _ store: Store, _ output: Output
  ) async throws {
    blocked = plan.blocked
    let planned = plan.requests.reduce(into: [HabitID: [NotificationRequest]]()) { found, request in
      for habit in Set(request.occurrences.map(\.habit)) {
        found[habit, default: []].append(request)
      }
    }
    self.planned = planned
    words = try await ReasonWords(store, output)
    waiting = try await WaitingWords(store, output)
    deliverers = plan.blocked == nil ? [:] : try await store.deliverers()
    let others = habits.filter { !$0.schedules.isEmpty && planned[$0.id] == nil }
    let next = others.isEmpty ? [] : try await store.nextExplanations(of: Set(others.map(\.id)))
    silent = Dictionary(next.map { ($0.habit.id, $0.1) }) { first, _ in first }
  }

  func next(of habit: Habit) -> NextReminder {
    if let own = planned[habit.id] {
      if let blocked { return deliverers[habit.owner].map(elsewhere) ?? .blocked(blocked) }
      return own.compactMap(\.fireAt).min().map { .fires($0) } ?? .place
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
      return elsewhere(other)
    }
    return .silent(explanation, words: words.text(explanation, of: habit))
  }

  private func elsewhere(_ device: ReplicaID) -> NextReminder {
    .elsewhere(device, name: words.name(device))
  }
}

/// Why a habit has no occurrence in the days that are planned.
struct WaitingWords {
  private let horizonDays: Int
  private let time: LocalTime

  init(_ store: Store, _ output: Output) async throws {
    horizonDays = try await store.settings().horizonDays
    time = output.time
  }

  /// Returns `on Mon 7 Dec 07:00, planned once it is within 8 days` for an occurrence after the
  /// horizon, else nil.
  func later(_ next: Explanation?) -> String? {
    guard let next, next.reason == .beyondHorizon, let instant = next.fireAt else { return nil }
    return "on \(time.text(instant)), planned once it is within \(horizonDays.counted("day"))"
  }

  /// Returns what the reminder of a habit without an occurrence ahead waits for, if anything.
  func entry(_ habit: Habit) -> String? {
    habit.schedules.contains(where: \.countsFromEntries)
      ? "waits until it is done, and counts from then" : nil
  }

  /// Returns what the reminder of a habit without an occurrence ahead waits for, or that none is in
  /// the days ahead.
  func text(_ habit: Habit) -> String {
    entry(habit) ?? once(habit) ?? "no occurrence in the next \(horizonDays.counted("day"))"
  }

  /// Returns `it was once, Tue 3 Nov 11:00` for a habit with one date, else nil; `it is once` if
  /// that time is still to come.
  private func once(_ habit: Habit) -> String? {
    let calendar = CivilCalendar(zone: time.zone)
    let moments = habit.schedules.map { $0.lastOnce(onDevice: calendar) }
    guard let last = moments.compactMap(\.self).max(), !moments.contains(nil) else { return nil }
    let times = habit.schedules.reduce(0) { $0 + $1.times.count }
    let verb = last <= time.now ? "was" : "is"
    return (times == 1 ? "it \(verb) once, " : "the last one \(verb) ") + time.text(last)
  }
}

extension Schedule {
  /// Returns the last instant of a schedule that is for one date; nil for any other.
  fileprivate func lastOnce(onDevice calendar: CivilCalendar) -> Instant? {
    guard let date = rule.onceDate, let time = times.last else { return nil }
    return zone.calendar(onDevice: calendar)?.instant(of: CivilDateTime(date: date, time: time))
  }
}
