public import CarillonModel
internal import CarillonSQLite
internal import Foundation

extension Store {
  /// Adds a habit with its schedules.
  ///
  /// - Throws: `invalidValue`, naming the field and the limit.
  @discardableResult
  public func add(_ habit: Habit) async throws(StoreError) -> AddedHabit {
    try await add(habit, if: nil)
  }

  /// Adds a habit with its schedules, if a check allows it.
  package func add(
    _ habit: Habit, if check: HabitsCheck?
  ) async throws(StoreError) -> AddedHabit {
    try Self.requireSense(habit)
    let habit = habit.normalized
    let payloads =
      [.habitCreated(HabitFields(creating: habit))]
      + habit.schedules.map { Payload.scheduleSet(ScheduleSet(habit: habit.id, schedule: $0)) }
    let written = try await write { context in
      try context.require(check)
      return Decision(payloads: payloads, needsState: check != nil)
    }
    return AddedHabit(id: habit.id, schedules: habit.schedules.map(\.id), written: written)
  }

  /// Changes a habit.
  ///
  /// The closure modifies a copy of it, and the differences are written.
  ///
  /// Each field of the habit and of its schedules is merged separately with edits of other devices.
  /// The closure may run more than once.
  ///
  /// - Throws: `notFound` if there is no such habit, `invalidValue`.
  @discardableResult
  public func edit(
    _ id: HabitID, _ change: @escaping @Sendable (inout Habit) throws -> Void
  ) async throws(StoreError) -> Written {
    try await edit(id, if: nil, change)
  }

  /// Changes a habit, if a check allows it.
  @discardableResult
  package func edit(
    _ id: HabitID, if check: HabitsCheck?,
    _ change: @escaping @Sendable (inout Habit) throws -> Void
  ) async throws(StoreError) -> Written {
    try await write { context in
      let old = try context.habit(id)
      try context.require(check)
      var new = old
      try change(&new)
      new = new.normalized
      try Self.requireSense(new)
      return Decision(payloads: try Self.payloads(from: old, to: new, context), needsState: true)
    }
  }

  /// Archives a habit, which hides it and suppresses its notifications.
  ///
  /// A habit that an imported calendar archived is then also kept archived, whatever the calendar
  /// says later.
  @discardableResult
  public func archive(_ id: HabitID) async throws(StoreError) -> Written {
    try await setArchived(id, to: true)
  }

  /// Shows an archived habit and its notifications again.
  @discardableResult
  public func unarchive(_ id: HabitID) async throws(StoreError) -> Written {
    try await setArchived(id, to: false)
  }

  /// Shows an archived habit and its notifications again, if a check allows it.
  package func unarchive(
    _ id: HabitID, if check: HabitsCheck?
  ) async throws(StoreError) -> Written {
    try await setArchived(id, to: false, if: check)
  }

  private func setArchived(
    _ id: HabitID, to isArchived: Bool, if check: HabitsCheck? = nil
  ) async throws(StoreError) -> Written {
    try await write { context in
      try context.require(check)
      let isChange = try context.habit(id).isArchived != isArchived
      guard try isChange || isArchived && !context.reader.hasPersonArchived(id) else {
        return Decision(payloads: [])
      }
      return Decision(
        payloads: [.habitArchivedSet(HabitArchivedSet(habit: id, isArchived: isArchived))],
        needsState: true)
    }
  }

  /// Deletes a habit.
  ///
  /// Its entries are hidden and kept until it is restored.
  ///
  /// To erase a habit permanently, use ``erase(_:)``.
  @discardableResult
  public func delete(_ id: HabitID) async throws(StoreError) -> Written {
    try await write { context in
      guard try !context.habit(id).isDeleted else { return Decision(payloads: []) }
      return Decision(payloads: [.habitDeleted(HabitDeleted(habit: id))], needsState: true)
    }
  }

  /// Undoes every deletion of a habit that this replica knows.
  @discardableResult
  public func restore(_ id: HabitID) async throws(StoreError) -> Written {
    try await restore(id, if: nil)
  }

  /// Undoes every deletion of a habit that this replica knows, if a check allows it.
  package func restore(_ id: HabitID, if check: HabitsCheck?) async throws(StoreError) -> Written {
    try await write { context in
      _ = try context.habit(id)
      try context.require(check)
      return Decision(
        payloads: HabitRestored.payloads(of: id, deletes: try context.reader.deletes(of: id)),
        needsState: true)
    }
  }

  /// Pauses a habit from a date until another date or until resumed.
  ///
  /// - Returns: What was written; if a pause covers the dates already, no events, and the last date
  ///   of that pause.
  /// - Throws: `notFound` if there is no such habit, `invalidValue`.
  @discardableResult
  public func pause(
    _ id: HabitID, from first: HabitDate = .today, to last: CivilDate? = nil
  ) async throws(StoreError) -> Written {
    try await writePause(of: id, from: first, to: last)
  }

  /// Pauses all habits from a date until another date or until resumed.
  ///
  /// - Returns: As ``pause(_:from:to:)``.
  /// - Throws: `invalidValue`.
  @discardableResult
  public func pauseAll(
    from first: HabitDate = .today, to last: CivilDate? = nil
  ) async throws(StoreError) -> Written {
    try await writePause(of: nil, from: first, to: last)
  }

  /// - Parameter habit: Nil for all habits.
  private func writePause(
    of habit: HabitID?, from first: HabitDate, to last: CivilDate?
  ) async throws(StoreError) -> Written {
    let id = PauseID.random()
    return try await write { context in
      if let habit { _ = try context.habit(habit) }
      let first = try context.date(first)
      if let last, last < first {
        throw StoreError(
          code: .invalidValue, message: "to: \(last) is before the first date, \(first)",
          hint: "use a date on or after the first")
      }
      let known = try context.reader.pauses().first {
        $0.habit == habit && $0.first <= first
          && $0.last.map { end in last.map { $0 <= end } ?? false } ?? true
      }
      if let known { return Decision(payloads: [], needsState: true, date: known.last) }
      return Decision(
        payloads: [.pauseSet(Pause(id: id, habit: habit, first: first, last: last))],
        needsState: true)
    }
  }

  /// Ends every pause of a habit that has not ended yet, including future ones.
  ///
  /// They then end yesterday. A pause of all habits stays; to end it, use ``resumeAll()``.
  ///
  /// - Throws: `notFound` if there is no such habit.
  @discardableResult
  public func resume(_ id: HabitID) async throws(StoreError) -> Written {
    try await endPauses(of: id)
  }

  /// Ends every pause of all habits that has not ended yet, including future ones.
  ///
  /// They then end yesterday. Pauses of single habits stay.
  @discardableResult
  public func resumeAll() async throws(StoreError) -> Written {
    try await endPauses(of: nil)
  }

  /// Returns the pause of all habits that includes today and ends last, or nil if there is none.
  package func pauseOfAll() async throws -> Pause? {
    try await read { context in
      try context.reader.pauses().filter { pause in
        pause.habit == nil && pause.first <= context.today
          && pause.last.map { $0 >= context.today } ?? true
      }.max { ($0.last ?? .init(rawValue: .max)) < ($1.last ?? .init(rawValue: .max)) }
    }
  }

  /// - Parameter habit: Nil for all habits.
  private func endPauses(of habit: HabitID?) async throws(StoreError) -> Written {
    try await write { context in
      if let habit { _ = try context.habit(habit) }
      let yesterday = context.today.adding(days: -1)
      let ended = try context.reader.pauses()
        .filter { $0.habit == habit && $0.last.map { $0 >= context.today } ?? true }
        .map { pause -> Payload in
          var pause = pause
          pause.last = yesterday
          return .pauseSet(pause)
        }
      return Decision(payloads: ended, needsState: true)
    }
  }

  private static func payloads(
    from old: Habit, to new: Habit, _ context: Context
  ) throws -> [Payload] {
    let fields = HabitFields(from: old, to: new)
    var payloads: [Payload] = fields.values.isEmpty ? [] : [.habitEdited(fields)]
    let before = Dictionary(uniqueKeysWithValues: old.schedules.map { ($0.id, $0) })
    for schedule in new.schedules where before[schedule.id] != schedule {
      let set =
        if let old = before[schedule.id] {
          ScheduleSet(habit: new.id, from: old, to: schedule)
        } else if try context.reader.scheduleWritten(schedule.id, of: new.id) != nil {
          // Its registers have the values from before its removal.
          ScheduleSet(habit: new.id, schedule: schedule, fields: ScheduleField.allCases)
        } else {
          ScheduleSet(habit: new.id, schedule: schedule)
        }
      if !set.fields.isEmpty { payloads.append(.scheduleSet(set)) }
    }
    let kept = Set(new.schedules.map(\.id))
    return payloads
      + old.schedules.filter { !kept.contains($0.id) }
      .map { .scheduleRemoved(ScheduleRemoved(habit: new.id, schedule: $0.id)) }
  }

  /// Refuses habits that a writer may not create.
  ///
  /// Merging edits of several writers may still produce them.
  private static func requireSense(_ habit: Habit) throws(StoreError) {
    guard habit.schedules.count <= Habit.maxSchedules,
      Set(habit.schedules.map(\.id)).count == habit.schedules.count
    else {
      throw StoreError(
        code: .invalidValue,
        message:
          "schedules: \(habit.schedules.count) given; at most \(Habit.maxSchedules), all distinct, "
          + "are allowed"
      )
    }
    for schedule in habit.schedules {
      guard case .fixed(let zone) = schedule.zone, let named = schedule.rule.zone, named != zone
      else { continue }
      throw StoreError(
        code: .invalidValue,
        message: "zone: \(zone) differs from \(named), the zone of the recurrence",
        hint: "leave one out")
    }
    for count in habit.schedules.lazy.map(\.timesPerDate) where count > Schedule.maxTimesPerDate {
      throw StoreError(
        code: .invalidValue,
        message: "repeat: \(count) reminders for each date; at most "
          + "\(Schedule.maxTimesPerDate) are allowed",
        hint: "use fewer repeats, or a rule with fewer times")
    }
    if let start = habit.start, let end = habit.end, end < start {
      throw StoreError(
        code: .invalidValue, message: "end: \(end) is before the start, \(start)",
        hint: "use an end date on or after the start")
    }
  }
}

/// What a caller requires of all habits, including deleted ones, before a change is written.
///
/// It gets the habits on which the change is decided; no other writer can come in between.
package typealias HabitsCheck = @Sendable (_ habits: [Habit]) throws -> Void

extension Context {
  fileprivate func require(_ check: HabitsCheck?) throws {
    // Without a check, the habits are not read.
    try check?(reader.habits().listed(includingArchived: true, includingDeleted: true))
  }

  /// Returns a habit, which may be deleted.
  func habit(_ id: HabitID) throws -> Habit {
    guard let habit = try reader.habit(id) else {
      if try reader.isErased(id) {
        throw StoreError(
          code: .notFound, message: "habit \(id) was erased permanently",
          reason: .erasedHabit)
      }
      throw StoreError(
        code: .notFound, message: "there is no habit \(id)",
        reason: .noHabit)
    }
    return habit
  }
}

extension Habit {
  /// The habit with its texts in normalization form C, so that equal titles have equal bytes.
  var normalized: Habit {
    var habit = self
    habit.title = title.precomposedStringWithCanonicalMapping
    habit.group = group?.precomposedStringWithCanonicalMapping
    habit.unit = unit?.precomposedStringWithCanonicalMapping
    return habit
  }
}
