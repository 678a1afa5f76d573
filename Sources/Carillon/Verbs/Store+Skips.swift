public import CarillonModel
internal import CarillonSQLite

extension Store {
  /// Marks a date as skipped.
  ///
  /// A skipped date has no reminders and breaks no streak.
  ///
  /// A date that is done stays done. Only its snoozes end.
  ///
  /// - Parameters:
  ///   - id: The habit.
  ///   - day: The date; by default today, in the zone that all of the habit's schedules share.
  /// - Returns: What was written, and its date.
  @discardableResult
  public func skip(_ id: HabitID, on day: HabitDate = .due) async throws(StoreError) -> Written {
    let isDone = Locked(false)
    var written = try await write { context in
      let habit = try context.habit(id)
      let date = day == .due ? self.today(of: habit, context) : try context.date(day)
      isDone.set(try context.isDone(habit, on: date))
      guard !isDone.value else {
        let ending = try self.snoozesFiring(of: habit, on: date, context)
        return Decision(payloads: ending.map { $0.canceled(in: id) }, needsState: true, date: date)
      }
      guard try context.reader.mark(of: id, on: date) != .skip else {
        return Decision(payloads: [], date: date)
      }
      return Decision(
        payloads: [.dayMarked(DayMarked(habit: id, first: date, last: date, mark: .skip))],
        needsState: true, date: date)
    }
    written.keptDone = isDone.value ? [written.date].compactMap(\.self) : []
    return written
  }

  /// The most dates that are skipped at once: those of two years, one of them a leap year.
  package static let maxSkipped = 731

  /// Marks several dates as skipped, except those that are done.
  ///
  /// - Returns: What was written, and the dates that were not skipped before, ascending.
  package func skip(
    _ id: HabitID, dates: Set<CivilDate>
  ) async throws(StoreError) -> (written: Written, new: [CivilDate]) {
    let found = Locked<[CivilDate]>([])
    let done = Locked<[CivilDate]>([])
    var written = try await write { context in
      let habit = try context.habit(id)
      let kept = try dates.sorted().filter { try context.isDone(habit, on: $0) }
      let new = try dates.subtracting(kept).sorted().filter {
        try context.reader.mark(of: id, on: context.date(.date($0))) != .skip
      }
      done.set(kept)
      found.set(new)
      let marks = new.runs.map { run in
        DayMarked(habit: habit.id, first: run.lowerBound, last: run.upperBound, mark: .skip)
      }
      return Decision(payloads: marks.map(Payload.dayMarked), needsState: true)
    }
    written.keptDone = done.value
    return (written, found.value)
  }
}

extension [CivilDate] {
  /// The ranges of consecutive dates of an ascending list, each short enough for one event.
  fileprivate var runs: [ClosedRange<CivilDate>] {
    var runs: [ClosedRange<CivilDate>] = []
    for date in self {
      if let last = runs.last, last.upperBound.adding(days: 1) == date,
        last.lowerBound.days(to: date) < DayMarked.maxDays
      {
        runs[runs.count - 1] = last.lowerBound...date
      } else {
        runs.append(date...date)
      }
    }
    return runs
  }
}

extension Context {
  /// Whether a habit is done on a date.
  func isDone(_ habit: Habit, on date: CivilDate) throws -> Bool {
    try reader.days(of: habit.id, range: date...date)[date]?.isDone(habit) ?? false
  }
}
