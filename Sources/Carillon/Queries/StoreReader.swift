public import CarillonModel
import CarillonSQLite
import Foundation

/// A consistent snapshot of a store, on which several queries give one picture.
///
/// Valid only during the call of the closure of ``Store/query(_:)`` or ``Store/observe(_:)`` that
/// received it.
public struct StoreReader {
  let store: Store
  let context: Context

  /// The moment of the snapshot, by the store's clock.
  package var now: Instant { context.now }
  /// The logical date of ``now``, in the device's zone and by the store's day start.
  public var today: CivilDate { context.today }
  /// The settings of the store.
  public var settings: StoreSettings { context.settings }

  /// Runs a query and converts its errors.
  func ask<Value>(_ query: (Context) throws -> Value) throws(StoreError) -> Value {
    try StoreError.translating { try query(context) }
  }
}

/// Queries that ``Store`` documents, on this snapshot.
extension StoreReader {
  /// Returns habits.
  ///
  /// See ``Store/habits(includingArchived:includingDeleted:)``.
  public func habits(
    includingArchived: Bool = false, includingDeleted: Bool = false
  ) throws(StoreError) -> [Habit] {
    try ask { context in
      try context.reader.habits()
        .listed(includingArchived: includingArchived, includingDeleted: includingDeleted)
    }
  }

  /// Returns the entries of a habit on a date.
  ///
  /// See ``Store/entries(of:on:)``.
  public func entries(
    of id: HabitID, on day: HabitDate = .today
  ) throws(StoreError) -> [HabitEntry] {
    try ask { try $0.reader.entries(of: id, on: $0.date(day)) }
  }

  /// Returns the merged state of a habit's dates.
  package func days(
    of id: HabitID, in range: ClosedRange<CivilDate>
  ) throws(StoreError) -> StoreState.Days {
    try ask { try $0.reader.days(of: id, range: range) }
  }

  /// Returns all pauses, including those that are over.
  package func pauses() throws(StoreError) -> [Pause] {
    try ask { try $0.reader.pauses() }
  }

  /// Returns the notes on a habit's dates.
  ///
  /// See ``Store/notes(of:in:)``.
  public func notes(
    of id: HabitID, in range: ClosedRange<CivilDate>
  ) throws(StoreError) -> [CivilDate: [String]] {
    try ask { try $0.reader.notes(of: id, in: range) }
  }

  /// Returns the merged state.
  ///
  /// See ``Store/state(range:)``.
  package func state(range: ClosedRange<CivilDate>? = nil) throws(StoreError) -> StoreState {
    try ask { try $0.reader.state(range: range) }
  }

  /// Returns this device.
  ///
  /// See ``Store/device()``.
  public func device() throws(StoreError) -> Device {
    try ask { try $0.ownDevice() }
  }

  /// Returns how well a habit was kept.
  ///
  /// See ``Store/adherence(of:)``.
  public func adherence(of id: HabitID) throws(StoreError) -> Adherence {
    try ask { try $0.adherence(of: id) }
  }

  /// Returns how well each of some habits was kept since a date.
  ///
  /// - Complexity: O(recorded dates since then, and as far back as the longest goal reaches).
  package func adherence(
    of habits: [Habit], since date: CivilDate
  ) throws(StoreError) -> [HabitID: Adherence] {
    try ask { try $0.adherence(of: habits, since: date) }
  }

  /// Returns the state of today for each habit.
  ///
  /// See ``Store/adherenceToday()``.
  public func adherenceToday() throws(StoreError) -> [HabitID: Adherence.Day] {
    try ask { try store.habitsToday($0).days }
  }

  /// Returns the plan for the device's own capacity and horizon.
  ///
  /// See
  /// ``Store/plan(capacity:horizonDays:)``.
  public func plan() throws(StoreError) -> NotificationPlan {
    try ask { context in
      let basis = store.options.planBasis(context.device, now: context.now)
      return try context.reader.keptPlan(basis) ?? Store.plan(basis, context.reader)
    }
  }

  /// Returns why each occurrence of a habit that is due on a date or fires on it is planned or not.
  ///
  /// See
  /// ``Store/explain(_:on:)``.
  public func explain(
    _ id: HabitID, on day: HabitDate = .today
  ) throws(StoreError) -> [Explanation] {
    try ask { context in
      let date = try context.date(day)
      _ = try context.habit(id)
      // What fires on the date may be due two days before it.
      let explainer = try store.explainer(context, including: date.adding(days: -2))
      let explained = explainer.explain(id, on: date, includingMoved: true)
      guard let history = try context.history(of: id, around: explained) else { return explained }
      return explainer.explain(id, on: date, by: history, includingMoved: true)
    }
  }

  /// Returns the latest state of notifications.
  ///
  /// See ``Store/receipts(limit:state:)``.
  public func receipts(
    limit: Int = 1_000, state: Receipt.State? = nil
  ) throws(StoreError) -> [Receipt] {
    let states = state.map { [$0] } ?? Set(Receipt.State.allCases)
    return try ask { try $0.receipts(limit: limit, in: states) }
  }

  /// Returns the number for the app's icon.
  ///
  /// See ``Store/badge()``.
  public func badge() throws(StoreError) -> Int {
    try ask { try $0.ownDevice().showsBadge ? try store.planner($0).badge() : 0 }
  }

  /// Returns the replicas of the log.
  ///
  /// See ``Store/replicas()``.
  package func replicas() throws(StoreError) -> [ReplicaInfo] {
    try ask { try store.replicas($0.reader) }
  }

  /// Returns the status of the store.
  ///
  /// See ``Store/status()``.
  public func status() throws(StoreError) -> StoreStatus {
    try ask { try store.status($0) }
  }
}

extension Context {
  /// Returns when what counts towards the quotas of past occurrences was recorded; nil if a quota
  /// explains none of them.
  fileprivate func history(
    of id: HabitID, around explained: [Explanation]
  ) throws -> HabitHistory? {
    var dates: Set<CivilDate> = []
    for explanation in explained where explanation.isPast {
      guard case .quota(let quota, _) = explanation.detail else { continue }
      dates.formUnion(quota.period.dates(around: explanation.due))
    }
    guard let first = dates.min(), let last = dates.max() else { return nil }
    var entries: [CivilDate: [HabitEntry]] = [:]
    for date in try reader.days(of: id, range: first...last).map(\.date) {
      entries[date] = try reader.entries(of: id, on: date)
    }
    return HabitHistory(
      entries: entries, schedules: try reader.schedulesWritten(of: id), now: now)
  }
}
