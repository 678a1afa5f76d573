internal import Foundation

/// Plans the requests that the system should have scheduled, and explains the plan.
///
/// A planner is a pure function of its inputs. It reads no clock, no zone and no randomness.
///
/// A moment outside the years 1696 to 4195 is clamped to the nearest one inside.
package struct Planner: Sendable {
  package let state: StoreState
  let settings: PlanSettings
  let device: ReplicaID
  let now: Instant
  let calendar: CivilCalendar
  /// The instant after which occurrences are planned: now, or an earlier one.
  private let start: Instant
  /// Whether the plan is of what is due, without repeating requests.
  private let isForDue: Bool
  /// The first instant after the horizon's last civil day in the device's zone.
  let horizonEnd: Instant
  /// The instant at which the first fact recorded by a clock ahead of now starts to count, or nil
  /// if there is none.
  private let nextKnown: Instant?

  /// Creates a planner for one device.
  ///
  /// - Parameter start: An instant before now. The plan then has, by what is known now, what is due
  ///   between this instant and now, and the digests that begin by now. It combines no occurrences
  ///   into repeating requests. Nil plans from now to the end of the horizon.
  package init(
    state: StoreState, settings: PlanSettings, device: ReplicaID, now: Instant,
    dueSince start: Instant? = nil
  ) {
    self.settings = settings
    self.device = device
    self.now = now.clamped(to: CivilCalendar.instants)
    (self.state, nextKnown) = state.known(by: self.now)
    calendar = CivilCalendar(zone: settings.zone)
    isForDue = start != nil
    self.start = start.map { min($0.clamped(to: CivilCalendar.instants), now) } ?? self.now
    let today = calendar.dateTime(at: self.now).date
    horizonEnd =
      isForDue
      ? self.now.adding(seconds: 1 + (settings.store.digest?.seconds ?? 0))
      : calendar.firstInstant(of: today.adding(days: settings.horizonDays))
  }

  /// Plans the requests that fit the capacity.
  ///
  /// - Complexity: O((schedules + capacity) log schedules). At most capacity + 2 x schedules
  ///   occurrences have their IDs computed, and those that digests represent. A schedule whose
  ///   occurrences are suppressed one by one is stepped through. If the store has a digest rule, so
  ///   is a group that the system could repeat in part.
  package func plan() -> NotificationPlan {
    let election = election
    let frame = frame(from: start, to: horizonEnd, after: start)
    let habits = habits(in: frame, election)
    if let digest = settings.store.digest {
      DigestSearch(digest, frame).withdrawRepeats(of: habits.schedules, moving: habits.moving)
    }
    let schedules = PlannedSchedules(habits.schedules, plain: habits.plain) {
      plan(of: $0, frame)
    }
    let merge = DigestMerge(
      RequestMerge(schedules, habits.moving, frame: frame), rule: settings.store.digest)
    let byHabit = Dictionary(
      uniqueKeysWithValues: habits.moving.map { ($0.facts.habit.id, $0) })
    let queue = queue(from: merge, habits.places) { firing in
      byHabit[firing.schedule.facts.habit.id]?.others(representedBy: firing) ?? []
    }
    let coverageUntil = min(queue.nextFire ?? horizonEnd, horizonEnd)
    let changes: [Instant?] = [
      queue.requests.lazy.compactMap(\.fireAt).first, queue.nextFire, frame.zones.nextDay(),
      habits.nextRepeat, nextPresumed, nextKnown, election.changesAt,
    ]
    return NotificationPlan(
      asOf: now, zone: settings.zone.ianaName, capacity: settings.capacity,
      requests: queue.requests, coverageUntil: coverageUntil, dropped: queue.dropped,
      leftOut: queue.leftOut, blocked: blocked, computedCount: queue.computedCount,
      validUntil: changes.compactMap(\.self).min() ?? horizonEnd,
      nextWakeHint: nextWakeHint(coverageUntil, frame),
      problems: habits.problems.sorted { ($0.habit, $0.schedule) < ($1.habit, $1.schedule) })
  }

  // MARK: - Parts of a plan

  /// Returns the values that a plan's habits share, with the zones prepared around some instants.
  ///
  /// - Parameter now: The instant after which occurrences are planned; nil for now.
  func frame(from start: Instant, to end: Instant, after now: Instant? = nil) -> PlanFrame {
    let now = now ?? self.now
    let zones = ZoneRanges(
      calendar: calendar, from: start, to: end, now: now, dayStart: settings.dayStart)
    return PlanFrame(
      state: state, settings: settings, zones: zones, now: now, end: horizonEnd,
      repeats: !isForDue,
      pauses: PauseIndex(state.pauses.values))
  }

  /// The reason why nothing may be submitted to the system.
  ///
  /// A device without any events counts as never asked for permission.
  private var blocked: Blocked? {
    (state.devices[device] ?? Device(replica: device)).blocked
  }

  /// Returns every habit whose notifications this device delivers, and the schedules that cannot be
  /// planned.
  private func habits(in frame: PlanFrame, _ election: DeviceElection) -> PlannedHabits {
    var found = PlannedHabits(frame: frame)
    found.plain.reserveCapacity(2 * state.habits.count)
    for habit in state.habits.values where !habit.isDeleted && !habit.isArchived {
      // Read before the habit, so that the habit is moved instead of copied.
      let (isOwned, snoozes) = (election.owns(habit.owner), state.snoozes[habit.id] ?? [])
      if isOwned, frame.append(plain: &found.plain, of: habit, state: state) { continue }
      found.append(
        HabitFacts(habit, state: state, pauses: frame.pauses, device: device, now: now),
        snoozes: snoozes, isOwned: isOwned)
    }
    return found
  }

  /// Returns the plan of a plain schedule.
  private func plan(of schedule: PlainSchedule, _ frame: PlanFrame) -> SchedulePlan {
    var found: [SchedulePlan] = []
    if let habit = state.habits[schedule.habit] {
      let facts = HabitFacts(habit, state: state, pauses: frame.pauses, device: device, now: now)
      frame.append(schedule: schedule.index, of: facts, to: &found)
    }
    guard let plan = found.first else { preconditionFailure("a plain schedule has a plan") }
    plan.complete()
    return plan
  }

  /// Returns the plan of one habit's schedules with all known facts.
  func habitPlan(_ habit: Habit, _ frame: PlanFrame) -> HabitPlan {
    let facts = HabitFacts(
      habit, state: state, pauses: frame.pauses, device: device, now: now)
    var schedules: [SchedulePlan] = []
    for index in habit.schedules.indices {
      frame.append(schedule: index, of: facts, to: &schedules)
    }
    return HabitPlan(
      facts, schedules: schedules, snoozes: state.snoozes[habit.id] ?? [], frame: frame)
  }

  /// The first instant at which a notification that a device submitted counts as presumed
  /// delivered.
  private var nextPresumed: Instant? {
    var next: Instant?
    for receipts in state.receipts.values {
      for receipt in receipts {
        if let fireAt = receipt.fireAt, fireAt > now { next = min(next ?? fireAt, fireAt) }
      }
    }
    return next
  }

  /// Returns the instant at which to plan again even if nothing happens: a day before the coverage
  /// ends, when quiet hours end, or when the next day begins, whichever comes first.
  private func nextWakeHint(_ coverageUntil: Instant, _ frame: PlanFrame) -> Instant {
    let nextDay = frame.zones.own.window.nextDateChange(
      after: now, dayStart: settings.dayStart)
    let hints: [Instant?] = [
      coverageUntil.adding(seconds: -86_400), nextDay, frame.quietEnds.first,
    ]
    return max(now, hints.compactMap(\.self).min() ?? now)
  }
}
