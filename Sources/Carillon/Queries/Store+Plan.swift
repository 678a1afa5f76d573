public import CarillonModel
import CarillonSQLite
package import Foundation
import Logging

extension Store {
  /// What the device's system should have scheduled now: at most `capacity` requests, the soonest.
  ///
  /// The plan at the device's own capacity and horizon is kept, and answers while nothing changed;
  /// any other is computed and not kept.
  ///
  /// - Parameters:
  ///   - capacity: 0...10,000; by default the device's own.
  ///   - horizonDays: 1...400 civil days; by default the device's own.
  /// - Returns: The plan, also where something blocks it.
  /// - Throws: `invalidValue`, and what the projections throw.
  /// - Complexity: O(64) for a kept plan, else O((schedules + capacity) log schedules).
  public func plan(capacity: Int? = nil, horizonDays: Int? = nil) async throws -> Plan {
    try requirePlanLimits(capacity, horizonDays)
    return try await translatingErrors {
      let now = self.options.clock()
      let device = try self.log.identity().device
      let basis = self.options.planBasis(
        device, now: now, capacity: capacity, horizonDays: horizonDays)
      let isOwn =
        basis.capacity == self.options.capacity && basis.horizonDays == self.options.horizonDays
      return try await self.projections.plan(basis, isKept: isOwn) { try Self.plan(basis, $0) }
    }
  }

  /// Plans for a basis, on the state of a reader's moment.
  static func plan(_ basis: PlanBasis, _ reader: ProjectionReader) throws -> Plan {
    let settings = basis.settings(try reader.settings())
    let state = try reader.planState(range: Planner.range(now: basis.now, settings: settings))
    return Planner(state: state, settings: settings, device: basis.replica, now: basis.now).plan()
  }

  /// The kept plan of a store that has nothing to do before it answers; else nil, also where
  /// something is wrong.
  ///
  /// For programs that ask once and end: it starts no thread and leaves nothing open. Where it
  /// gives nil, opening the store does what is to be done, or says what is wrong.
  ///
  /// - Complexity: O(requests).
  package static func keptPlan(at directory: URL, options: StoreOptions) -> Plan? {
    // What fails here fails again when the store is opened, which then waits, says so or repairs
    // it.
    var logOptions = options.log
    logOptions.busyTimeout = .zero
    guard let storage = Storage(usedIn: directory),
      let log = try? storage.logs.open(at: directory, options: logOptions)
    else { return nil }
    defer { log.closeNow() }
    return try? SQLiteProjections.keptPlan(
      at: directory, log: log,
      options.planBasis(log.identity().device, now: options.clock()))
  }

  /// What to change so that the system, which holds these requests, holds the plan.
  ///
  /// Requests of others are counted and lower the capacity; they are never touched. While nothing
  /// may be shown, all of ours are removed and none is added.
  public func planDifference(from scheduled: [ScheduledRequest]) async throws -> PlanDifference {
    let foreign = scheduled.count { !$0.isOurs }
    let plan = try await plan(capacity: max(0, options.capacity - foreign))
    var difference = plan.difference(from: scheduled)
    difference.deliveredRemovals = try await deliveredRemovals()
    return difference
  }

  /// Why each occurrence of a habit on a date is planned, or is not.
  public func explain(_ id: HabitID, on day: Day = .today) async throws -> [Explanation] {
    try await read { context in
      let date = try context.date(day)
      _ = try context.habit(id)
      let settings = self.planSettings(context)
      let state = try context.reader.planState(
        range: Planner.range(now: context.now, settings: settings, including: date))
      return Planner(state: state, settings: settings, device: context.device, now: context.now)
        .explain(id, on: date)
    }
  }

  /// The habits that would remind within the horizon, but that nobody used the app for so long.
  ///
  /// - Complexity: O(occurrences of the horizon).
  public func habitsWaitingForActivity() async throws -> [Habit] {
    try await read { context in
      let settings = self.planSettings(context)
      let state = try context.reader.planState(
        range: Planner.range(now: context.now, settings: settings))
      let planner = Planner(
        state: state, settings: settings, device: context.device, now: context.now)
      let plan = planner.plan()
      let dates = (0..<settings.horizonDays).map { context.today.adding(days: $0) }
      return state.habits.values.filter { habit in
        habit.schedules.contains { $0.inactivityDays > 0 }
          && dates.contains { date in
            planner.explain(habit.id, on: date, in: plan).contains { $0.reason == .inactive }
          }
      }.sorted(by: Habit.listOrder)
    }
  }

  /// The plan now and after every change: of this process, another one, or a sync.
  ///
  /// The first value comes at once; equal plans in a row come once. Where planning fails, the
  /// failure is logged and the next change tries again. It ends when the store is closed, or with
  /// the task.
  public func pendingUpdates() -> AsyncStream<Plan> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = Task {
        var last: Plan?
        for await _ in self.changes() {
          do {
            let plan = try await self.plan()
            if plan.requests != last?.requests || plan.blocked != last?.blocked {
              continuation.yield(plan)
            }
            last = plan
          } catch {
            self.logger.warning("cannot plan after a change: \(error)")
          }
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// What this device plans with, by the settings of the moment that is read.
  func planSettings(_ context: Context) -> PlanSettings {
    PlanSettings(
      zone: context.zone, capacity: options.capacity, horizonDays: options.horizonDays,
      store: context.settings)
  }

  private func requirePlanLimits(_ capacity: Int?, _ horizonDays: Int?) throws {
    guard (0...10_000).contains(capacity ?? 0) else {
      throw StoreError(
        code: .invalidValue,
        message: "limit: \(capacity ?? 0) is out of range; 0 to 10000 is allowed")
    }
    guard (1...400).contains(horizonDays ?? 1) else {
      throw StoreError(
        code: .invalidValue,
        message: "days: \(horizonDays ?? 0) is out of range; 1 to 400 is allowed")
    }
  }
}

extension StoreOptions {
  /// What is planned for: by default the device's own capacity and horizon.
  func planBasis(
    _ device: ReplicaID, now: Instant, capacity: Int? = nil, horizonDays: Int? = nil
  ) -> PlanBasis {
    PlanBasis(
      replica: device, zone: zone(), capacity: capacity ?? self.capacity,
      horizonDays: horizonDays ?? self.horizonDays, now: now)
  }
}
