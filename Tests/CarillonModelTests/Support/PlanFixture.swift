import CarillonModel
import Foundation

/// One device and its habits, as a starting point for tests of the planner.
struct PlanFixture {
  var state: StoreState
  var zone: String
  var capacity = 64
  var horizonDays = 8
  var store = StoreSettings()

  var dayStart: TimeOfDay {
    get { store.dayStart }
    set { store.dayStart = newValue }
  }

  static let device = ReplicaID(high: 1, low: 1)

  /// Creates a device that may deliver notifications, in a zone.
  init(_ zone: String, _ habits: Habit...) {
    self.init(zone, habits: habits)
  }

  init(_ zone: String, habits: [Habit]) {
    self.zone = zone
    var device = Device(replica: Self.device)
    device.permission = Permission(status: .authorized, options: [.alert])
    device.alerts.isOn = true
    state = StoreState(
      habits: Dictionary(uniqueKeysWithValues: habits.map { ($0.id, $0) }),
      devices: [Self.device: device])
  }

  var settings: PlanSettings {
    guard let zone = TimeZone(identifier: zone) else {
      preconditionFailure("unknown time zone \(zone)")
    }
    return PlanSettings(zone: zone, capacity: capacity, horizonDays: horizonDays, store: store)
  }

  func planner(at now: Instant) -> Planner {
    Planner(state: state, settings: settings, device: Self.device, now: now)
  }

  func plan(at now: String) -> NotificationPlan { planner(at: instant(now)).plan() }

  mutating func markDone(_ habit: Habit, on date: CivilDate) {
    state.days[habit.id, default: [:]][date, default: .init()].entryCount += 1
    let amount = state.days[habit.id]?[date]?.amount ?? .zero
    state.days[habit.id, default: [:]][date, default: .init()].amount =
      Amount(thousandths: amount.thousandths + 1_000)
  }

  /// Snoozes an occurrence of a schedule.
  mutating func snooze(
    _ habit: Habit, _ nominal: CivilDateTime, until: String?, schedule: Int = 0, number: Int = 0,
    ignoresQuietHours: Bool = false
  ) {
    state.snoozes[habit.id, default: []].append(
      Snooze(
        schedule: habit.schedules[schedule].id, nominal: nominal, number: number,
        until: until.map(instant),
        ignoresQuietHours: ignoresQuietHours))
  }

  mutating func setLastActive(_ date: CivilDate?) {
    state.devices[Self.device]?.lastActive = date
  }
}

extension Planner {
  /// Explains the occurrences of a date by the planner's own plan.
  func explain(
    _ habit: HabitID, on date: CivilDate, includingMoved: Bool = false
  ) -> [Explanation] {
    Explainer(self, plan()).explain(habit, on: date, includingMoved: includingMoved)
  }
}

extension NotificationPlan {
  /// The instants at which the requests fire, in UTC.
  var fires: [String] { requests.compactMap(\.fireAt).map(utc) }

  /// The nominal dates and times of the requests.
  var nominals: [String] { requests.map(\.nominal.description) }

  /// The requests that the system holds after the plan is submitted.
  var scheduled: [ScheduledRequest] { requests.map(ScheduledRequest.init) }
}

/// Parses `2026-03-28T01:30Z`.
func instant(_ text: String) -> Instant {
  guard text.hasSuffix("Z"), let moment = CivilDateTime(String(text.dropLast())) else {
    preconditionFailure("invalid instant \(text)")
  }
  let minutes = Int64(moment.date.rawValue) * 1_440 + Int64(moment.time.minute)
  return Instant(milliseconds: minutes * 60_000)
}

/// Formats an instant as `2026-03-28T01:30Z`, with the milliseconds past the minute, if any.
func utc(_ instant: Instant) -> String {
  let minutes = instant.milliseconds / 60_000
  let day = Int32(minutes / 1_440)
  guard let time = TimeOfDay(minute: Int(minutes % 1_440)) else { return "\(instant)" }
  let rest = instant.milliseconds % 60_000
  let seconds = rest == 0 ? "" : "+\(rest) ms"
  return "\(CivilDateTime(date: CivilDate(rawValue: day), time: time))Z\(seconds)"
}
