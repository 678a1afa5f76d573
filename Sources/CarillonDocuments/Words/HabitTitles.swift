package import Carillon
package import CarillonModel
import Foundation

/// The titles of habits, with which events and receipts are described for people.
package struct HabitTitles: Sendable {
  private var titles: [HabitID: String] = [:]
  /// The schedules as the observed events set them.
  private var schedules: [ScheduleID: Schedule] = [:]
  /// The schedules whose zones are known.
  private var known: Set<ScheduleID> = []
  /// The schedules with an interval rule, whose nominal times are in UTC.
  private var intervals: [ScheduleID: ScheduleZone] = [:]

  /// The displayed names of replicas.
  package var replicas: ReplicaNames?

  /// Creates an empty list of titles.
  package init() {}

  /// Reads the titles and schedules of all habits of a store.
  package init(_ store: Store) async throws {
    let habits = try await store.habits(includingArchived: true, includingDeleted: true)
    for habit in habits {
      titles[habit.id] = habit.title
      for schedule in habit.schedules {
        known.insert(schedule.id)
        if case .interval = schedule.rule { intervals[schedule.id] = schedule.zone }
      }
    }
  }

  /// Returns the subject for people: the nominal time of an interval rule in the schedule's zone.
  package func local(_ subject: ReceiptSubject, _ time: LocalTime) -> ReceiptSubject {
    guard case .occurrence(var occurrence) = subject else { return subject }
    occurrence.nominal = local(occurrence.nominal, of: occurrence.schedule, time)
    return .occurrence(occurrence)
  }

  private func local(
    _ nominal: CivilDateTime, of schedule: ScheduleID, _ time: LocalTime
  ) -> CivilDateTime {
    guard let zone = intervals[schedule] else { return nominal }
    var clock = time.zone
    if case .fixed(let name) = zone { clock = TimeZone(identifier: name) ?? clock }
    let minutes = Int64(nominal.date.rawValue) * 1_440 + Int64(nominal.time.minute)
    return CivilCalendar(zone: clock).dateTime(at: Instant(milliseconds: minutes * 60_000))
  }

  /// Records the title of a habit or a schedule's rule from an event.
  mutating func observe(_ payload: Payload?) {
    switch payload {
    case .habitCreated(let fields), .habitEdited(let fields):
      if case .text(let title) = fields.values[.title] { titles[fields.habit] = title }
    case .scheduleSet(let set):
      let id = set.schedule.id
      for field in set.fields {
        schedules[id, default: .standard(id)].set(field, from: set.schedule)
      }
      if case .interval = set.schedule.rule { intervals[set.schedule.id] = set.schedule.zone }
    default: break
    }
  }

  /// Records what an event of the log says, and returns its summary in the words of its time: an
  /// edit has the title before it.
  ///
  /// The summary has a few words, such as `Walk 2026-11-23`; it is empty if the type says
  /// everything.
  package mutating func summary(
    observing payload: Payload?, writtenAt instant: Instant, _ time: LocalTime
  ) -> String {
    if case .habitEdited = payload {} else { observe(payload) }
    defer { observe(payload) }
    let words = Words(writtenOn: time.date(of: instant), titles: self, time: time)
    return payload?.content?.summary(words) ?? ""
  }

  /// The texts of habits, instants and schedules in summaries.
  private struct Words: SummaryWords {
    let writtenOn: CivilDate
    let titles: HabitTitles
    let time: LocalTime

    func title(of habit: HabitID) -> String { titles.title(habit) }

    func name(of replica: ReplicaID) -> String {
      titles.replicas?[replica] ?? String(replica.description.prefix(8))
    }

    func text(_ instant: Instant) -> String { time.text(instant) }

    func text(_ schedule: Schedule) -> String { schedule.summary(time) }

    func local(_ nominal: CivilDateTime, of schedule: ScheduleID) -> CivilDateTime {
      titles.local(nominal, of: schedule, time)
    }

    func text(of schedule: ScheduleID) -> String? {
      titles.schedules[schedule].map { $0.summary(time) }
    }
  }

  /// Whether today's titles and schedules do not suffice for the summary of an event and of those
  /// after it: it changes one of them, or names one that is gone.
  package func needsEarlierEvents(for payload: Payload?) -> Bool {
    switch payload {
    case .habitEdited(let fields) where fields.values[.title] != nil: return true
    case .scheduleSet, .scheduleRemoved: return true
    default:
      let lookups = Lookups(titles: self)
      _ = payload?.content?.summary(lookups)
      return lookups.hasFailed
    }
  }

  /// Looks up what a summary names, and remembers whether something is not known.
  private final class Lookups: SummaryWords {
    let writtenOn = CivilDate.zero
    private let titles: HabitTitles
    private(set) var hasFailed = false

    init(titles: HabitTitles) {
      self.titles = titles
    }

    func title(of habit: HabitID) -> String {
      hasFailed = hasFailed || titles.titles[habit] == nil
      return ""
    }

    func name(of replica: ReplicaID) -> String { "" }

    func text(_ instant: Instant) -> String { "" }

    func text(_ schedule: Schedule) -> String { "" }

    func local(_ nominal: CivilDateTime, of schedule: ScheduleID) -> CivilDateTime {
      hasFailed = hasFailed || !titles.known.contains(schedule)
      return nominal
    }

    func text(of schedule: ScheduleID) -> String? {
      hasFailed = true
      return nil
    }
  }

  /// Returns a name such as `Walk 2026-11-23T17:00` or `github 203134625`.
  package func name(_ subject: ReceiptSubject) -> String {
    switch subject {
    case .occurrence(let occurrence): "\(title(occurrence.habit)) \(occurrence.nominal)"
    case .item(let source, let item, _): "\(source) \(item)"
    case .push(let id, _): id
    }
  }

  /// Returns ``name(_:)`` in the schedule's zone, with the title of a fetched item if it is known.
  package func name(_ receipt: Receipt, _ time: LocalTime) -> String {
    guard case .item(let source, _, _) = receipt.subject, let title = receipt.title else {
      return name(local(receipt.subject, time))
    }
    return "\(source) \(title)"
  }

  /// Returns the title of a receipt's notification, with the time that it is for if it fires at
  /// another one, such as `Walk of Mon 23 Nov 22:30`.
  package func name(of receipt: Receipt, _ time: LocalTime) -> String {
    guard case .occurrence(let occurrence) = local(receipt.subject, time) else {
      return name(receipt, time)
    }
    guard let fireAt = receipt.fireAt, time.civil(fireAt) == occurrence.nominal else {
      return name(receipt.subject, time)
    }
    return title(occurrence.habit)
  }

  /// Returns a name such as `Walk of Mon 23 Nov 17:00`.
  package func name(_ subject: ReceiptSubject, _ time: LocalTime) -> String {
    guard case .occurrence(let occurrence) = local(subject, time) else { return name(subject) }
    let nominal = occurrence.nominal
    return "\(title(occurrence.habit)) of \(time.text(nominal.date)) \(nominal.time)"
  }

  private func title(_ habit: HabitID) -> String {
    titles[habit] ?? String(habit.description.prefix(8))
  }
}
