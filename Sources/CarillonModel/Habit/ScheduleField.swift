/// An editable field of a schedule.
///
/// Each field is an LWW register of its own. The cases are in the order of the JSON form.
package enum ScheduleField: String, CaseIterable, Hashable, Sendable {
  case rule, times, zone, unless, quota, doneWithinSeconds, quietPolicy, stopAfterDays
  case title, body, sound, level, data, thread

  /// The field's number in `carillon.v1.ScheduleSet` and in the projection.
  ///
  /// All rules share the number of the first.
  package var number: Int {
    switch self {
    case .rule: 32
    case .times: 3
    case .zone: 4
    case .unless: 5
    case .quota: 12
    case .doneWithinSeconds: 13
    case .quietPolicy: 14
    case .stopAfterDays: 6
    case .title: 7
    case .body: 8
    case .sound: 9
    case .level: 15
    case .data: 11
    case .thread: 10
    }
  }

  /// The numbers of the protobuf fields that have the field's value.
  package var numbers: ClosedRange<Int> { number...(self == .rule ? 47 : number) }
}

extension Schedule {
  /// A schedule whose fields have their defaults; only the rule has none.
  package static func standard(_ id: ScheduleID) -> Schedule {
    Schedule(id: id, rule: .once(.zero), times: [])
  }

  /// Sets one field to its value in another schedule.
  package mutating func set(_ field: ScheduleField, from other: Schedule) {
    switch field {
    case .rule: rule = other.rule
    case .times: setTimes(other.times)
    case .zone: zone = other.zone
    case .unless: unless = other.unless
    case .quota: quota = other.quota
    case .doneWithinSeconds: doneWithinSeconds = other.doneWithinSeconds
    case .quietPolicy: quietPolicy = other.quietPolicy
    case .stopAfterDays: stopAfterDays = other.stopAfterDays
    case .title: content.title = other.content.title
    case .body: content.body = other.content.body
    case .sound: content.sound = other.content.sound
    case .level: content.level = other.content.level
    case .data: content.data = other.content.data
    case .thread: thread = other.thread
    }
  }

  /// Whether a field has the same value in another schedule.
  package func has(_ field: ScheduleField, of other: Schedule) -> Bool {
    var copy = self
    copy.set(field, from: other)
    return copy == self
  }

  /// The schedule as it is read if its fields come from different edits.
  ///
  /// The rule decides: times do not apply to a rule with times of its own, and a zone does not
  /// apply to a recurrence that names another.
  package var reconciled: Schedule {
    var schedule = self
    if rule.hasOwnTimes { schedule.setTimes([]) }
    if let named = rule.zone, zone != .fixed(named) { schedule.zone = .floating }
    return schedule
  }
}

extension Schedule.Rule {
  /// Whether the rule includes its own times, or has none, so that a schedule's times do not apply.
  package var hasOwnTimes: Bool {
    switch self {
    case .interval, .place: true
    case .recurrence(let recurrence): !recurrence.isDateOnly
    case .relative(let relative): relative.base.hasOwnTimes
    case .once, .weekly, .everyDays, .unknown: false
    }
  }
}
