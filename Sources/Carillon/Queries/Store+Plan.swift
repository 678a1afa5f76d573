public import CarillonModel
import CarillonSQLite
package import Foundation
import Logging

extension Store {
  /// The number of requests that the device's system can hold.
  package var capacity: Int { options.capacity }

  /// Returns the plan: the requests that the device's system should hold now.
  ///
  /// There are at most `capacity`; ``NotificationPlan/leftOut`` names what does not fit.
  ///
  /// The plan for the device's own capacity and horizon is cached, and is returned from the cache
  /// until something changes. Any other plan is computed on each call and not cached.
  ///
  /// - Parameters:
  ///   - capacity: 0...10,000; by default the device's own.
  ///   - horizonDays: 1...400 civil days; by default the device's own.
  /// - Returns: The plan, even if something blocks notifications; see ``NotificationPlan/blocked``.
  /// - Throws: `invalidValue`, and the errors of the projections.
  /// - Complexity: O(64) for a cached plan, else O((schedules + capacity) log schedules).
  public func plan(capacity: Int? = nil, horizonDays: Int? = nil) async throws(StoreError)
    -> NotificationPlan
  {
    try requirePlanLimits(capacity, horizonDays)
    return try await StoreError.translating {
      let now = self.options.clock()
      let device = try self.log.identity().device
      let basis = self.options.planBasis(
        device, now: now, capacity: capacity, horizonDays: horizonDays)
      let isOwn =
        basis.capacity == self.options.capacity && basis.horizonDays == self.options.horizonDays
      return try await withCancellationCheck { check in
        try await self.projections.plan(basis, isKept: isOwn) { reader in
          try check()
          return try Self.plan(basis, reader)
        }
      }
    }
  }

  /// Computes the plan for a basis, from a reader's snapshot.
  static func plan(_ basis: PlanBasis, _ reader: ProjectionReader) throws -> NotificationPlan {
    let settings = basis.settings(try reader.settings())
    var state = try reader.planState(
      range: Planner.range(now: basis.now, settings: settings), isFromRange: true)
    state.add(
      firings: try reader.plannedRepeats(), on: basis.replica, in: basis.zone, by: basis.now)
    return Planner(state: state, settings: settings, device: basis.replica, now: basis.now).plan()
  }

  /// Returns the kept plan if it is current and the store needs no work before it can answer; else
  /// nil, also if something is wrong.
  ///
  /// For programs that ask once and exit: starts no thread. If this returns nil, open the store;
  /// opening it does the work or reports the error.
  ///
  /// - Parameter leave: If the projection file is open but has no valid plan, receives options to
  ///   open the store with that file. The file is closed when they are released.
  /// - Complexity: O(requests).
  package static func keptPlan(
    at directory: URL, options: StoreOptions,
    leavingOpen leave: (StoreOptions) -> Void = { _ in }
  ) -> NotificationPlan? {
    // An error here occurs again when the store is opened, which then waits, reports it or repairs
    // it.
    var logOptions = options.log
    logOptions.busyTimeout = .zero
    guard let storage = try? Storage(usedIn: directory),
      let log = try? storage.logs.open(at: directory, options: logOptions)
    else { return nil }
    defer { log.closeBlocking() }
    return try? SQLiteProjections.keptPlan(
      at: directory, log: log,
      options.planBasis(log.identity().device, now: options.clock())
    ) { opened in
      var options = options
      options.projections = opened
      leave(options)
    }
  }

  /// Returns the changes that bring the system from the requests that it holds to the plan.
  ///
  /// Requests of other origin reduce the capacity and are never changed. While notifications are
  /// blocked, all of the store's requests are removed and none is added.
  package func planDifference(from scheduled: [ScheduledRequest]) async throws -> PlanDifference {
    var difference = try await plan(beside: scheduled).difference(from: scheduled)
    difference.deliveredRemovals = try await deliveredRemovals()
    return difference
  }

  /// Returns the plan for the places that requests of other origin leave in the system's list.
  func plan(beside scheduled: [ScheduledRequest]) async throws -> NotificationPlan {
    try await plan(capacity: max(0, options.capacity - scheduled.otherCount))
  }

  /// Explains for each occurrence of a habit that is due on a date or fires on it why it is planned
  /// or why it is not.
  public func explain(_ id: HabitID, on day: HabitDate = .today) async throws(StoreError)
    -> [Explanation]
  {
    try await query { try $0.explain(id, on: day) }
  }

  /// Returns what happens to the next occurrence of each habit with reminders; see
  /// ``Explainer/nextExplanation(of:schedule:)``.
  ///
  /// Habits without an occurrence ahead are left out; a snooze that its date ended is not ahead.
  ///
  /// - Parameters:
  ///   - ids: The habits; nil for all.
  ///   - schedule: The schedule of the occurrences; nil for any.
  /// - Complexity: O(occurrences of the habits within the horizon).
  package func nextExplanations(
    of ids: Set<HabitID>? = nil, schedule: ScheduleID? = nil
  ) async throws -> [(habit: Habit, Explanation)] {
    try await longRead { context, check in
      let explainer = try self.explainer(context, including: context.today)
      let habits = explainer.habits.values.filter { habit in
        !habit.isDeleted && !habit.schedules.isEmpty && ids?.contains(habit.id) ?? true
      }
      return try habits.inListOrder().compactMap { habit in
        try check()
        return explainer.nextExplanation(of: habit.id, schedule: schedule).map { (habit, $0) }
      }
    }
  }

  /// Returns the first reminder of each habit on each of the given dates, for the dates on which
  /// one will fire on this device, or will once it is planned; see
  /// ``Explainer/firstFirings(of:on:)``.
  package func firings(
    on dates: ClosedRange<CivilDate>
  ) async throws -> [HabitID: [CivilDate: FirstFiring]] {
    try await longRead { context, check in
      let explainer = try self.explainer(context, including: dates.lowerBound)
      return try explainer.habits.mapValues { habit in
        try check()
        return explainer.firstFirings(of: habit.id, on: dates).byDate
      }
    }
  }

  /// Returns the next reminders that a schedule would have on this device; see
  /// ``Planner/preview(of:count:)``.
  package func preview(
    of schedule: Schedule, count: Int
  ) async throws(StoreError) -> [(fireAt: Instant, nominal: CivilDateTime)] {
    try await longRead { context, _ in
      let planner = Planner(
        state: StoreState(settings: context.settings), settings: self.planSettings(context),
        device: context.device, now: context.now)
      return planner.preview(of: schedule, count: count)
    }
  }

  /// Returns an explainer of the device's own plan, which is computed only if none is kept.
  ///
  /// - Parameter date: A date whose facts, and those of later dates, are needed in addition to
  ///   those of the plan.
  func explainer(_ context: Context, including date: CivilDate) throws -> Explainer {
    let settings = planSettings(context)
    let state = try context.planState(
      range: Planner.range(now: context.now, including: date))
    let planner = Planner(
      state: state, settings: settings, device: context.device, now: context.now)
    let kept = try context.reader.keptPlan(
      options.planBasis(context.device, now: context.now))
    return Explainer(planner, kept ?? planner.plan())
  }

  /// Returns the settings for planning on this device, as of the snapshot.
  func planSettings(_ context: Context) -> PlanSettings {
    PlanSettings(
      zone: context.zone, capacity: options.capacity, horizonDays: options.horizonDays,
      store: context.settings)
  }

  private func requirePlanLimits(_ capacity: Int?, _ horizonDays: Int?) throws(StoreError) {
    guard PlanSettings.capacities.contains(capacity ?? 0) else {
      throw StoreError(
        code: .invalidValue,
        message: "limit: \(capacity ?? 0) is out of range; "
          + "0 to \(PlanSettings.capacities.upperBound) is allowed")
    }
    guard PlanSettings.horizons.contains(horizonDays ?? 1) else {
      throw StoreError(
        code: .invalidValue,
        message: "days: \(horizonDays ?? 0) is out of range; "
          + "1 to \(PlanSettings.horizons.upperBound) is allowed")
    }
  }
}

extension StoreOptions {
  /// Returns the inputs of a plan in addition to the events.
  ///
  /// Capacity and horizon default to the device's own.
  func planBasis(
    _ device: ReplicaID, now: Instant, capacity: Int? = nil, horizonDays: Int? = nil
  ) -> PlanBasis {
    PlanBasis(
      replica: device, zone: zone(), capacity: capacity ?? self.capacity,
      horizonDays: horizonDays ?? self.horizonDays, now: now)
  }
}
