import Carillon
import CarillonModel
import CarillonSQLite

/// What one batch of an import writes, decided on the newest state.
struct HabitImport {
  private(set) var payloads: [Payload] = []
  private(set) var report = ImportReport()

  /// The number of rows in one transaction.
  static let batchCount = 4_000

  /// Decides which habits to add.
  ///
  /// A habit that ever existed is left unchanged, unless its calendar has changed the events since
  /// they were imported.
  ///
  /// - Parameter isKnown: Whether the same file was imported before, so that it is older than the
  ///   store unless its events are newer.
  static func decide(
    _ habits: [Habit], isKnown: Bool, _ reader: ProjectionReader
  ) throws -> HabitImport {
    var batch = HabitImport()
    let known = try reader.knownDays()
    let stored = Dictionary(
      uniqueKeysWithValues: try reader.habits(habits.map(\.id)).map { ($0.id, $0) })
    for habit in habits {
      let revisions = CalendarRevisions(of: habit)
      let old = stored[habit.id]
      if try old == nil && !known.isErased(habit.id) {
        // The event was cancelled before it was ever imported.
        if habit.isArchived, revisions != nil { continue }
        batch.add(habit)
      } else if let revisions, let old, !old.isDeleted, let had = CalendarRevisions(of: old),
        revisions.differ(from: had)
      {
        switch (revisions.age(comparedTo: had), isKnown) {
        case (.older, _), (.undecided, true):
          batch.report.seen += 1
          batch.report.older.append(habit.id)
        case (.newer, _), (.undecided, false):
          let keepsArchive = try old.isArchived && reader.hasPersonArchived(old.id)
          batch.change(old, to: habit, keepsArchive: keepsArchive)
        }
      } else {
        batch.report.seen += 1
      }
    }
    return batch
  }

  /// Decides which records of dates to add.
  ///
  /// Records that ever existed are not added again.
  static func decide(
    _ days: [ForeignDay], from source: String, _ reader: ProjectionReader
  ) throws -> HabitImport {
    var batch = HabitImport()
    let known = try reader.knownDays()
    for day in days {
      if try known.holds(day, from: source) {
        batch.report.seen += 1
      } else {
        batch.add(day, from: source)
      }
    }
    return batch
  }

  /// Creates a batch that adds all of the given records.
  init(adding days: [ForeignDay], from source: String) {
    payloads.reserveCapacity(days.count)
    for day in days { add(day, from: source) }
  }

  // MARK: - Parts

  private init() {}

  private mutating func add(_ day: ForeignDay, from source: String) {
    switch day.fact {
    case .done(let value, let note): add(value, note: note, day, from: source)
    case .marked(let mark): add(mark, day)
    case .noted(let text): add(text, day)
    }
  }

  private mutating func add(_ habit: Habit) {
    payloads.append(.habitCreated(HabitFields(creating: habit)))
    payloads += habit.schedules.map { .scheduleSet(ScheduleSet(habit: habit.id, schedule: $0)) }
    if habit.isArchived {
      payloads.append(.habitArchivedSet(HabitArchivedSet(habit: habit.id, isArchived: true)))
    }
    report.habits += 1
    report.schedules += habit.schedules.count
  }

  /// Applies the calendar's changes to its events.
  ///
  /// Schedules that the person added are kept, and the person's changes to those of events that are
  /// unchanged.
  ///
  /// - Parameter keepsArchive: Whether the person archived the habit, so that it stays archived.
  private mutating func change(_ old: Habit, to new: Habit, keepsArchive: Bool) {
    var changed = old
    (changed.title, changed.notes, changed.group) = (new.title, new.notes, new.group)
    let fields = HabitFields(from: old, to: changed)
    if !fields.values.isEmpty { payloads.append(.habitEdited(fields)) }
    let before = Dictionary(uniqueKeysWithValues: old.schedules.map { ($0.id, $0) })
    let imported = new.schedules.filter { before[$0.id] != nil }
    let added = new.schedules.filter { before[$0.id] == nil }
    let ids = Set(imported.map(\.id))
    let others = old.schedules.filter { !ids.contains($0.id) }
    let gone = others.filter { $0.revision != nil }
    payloads += gone.map { .scheduleRemoved(ScheduleRemoved(habit: old.id, schedule: $0.id)) }
    let room = Habit.maxSchedules - (others.count - gone.count) - imported.count
    for _ in added.dropFirst(max(0, room)) {
      report.ignored.add(.tooManyAlarms, at: "habit \(new.title)")
    }
    for schedule in imported + added.prefix(max(0, room)) {
      let set =
        if let old = before[schedule.id] {
          ScheduleSet(habit: new.id, from: old, to: old.keepingChanges(before: schedule))
        } else {
          // It may have been removed, and its registers then have values.
          ScheduleSet(habit: new.id, schedule: schedule, fields: ScheduleField.allCases)
        }
      if !set.fields.isEmpty { payloads.append(.scheduleSet(set)) }
    }
    if new.isArchived != old.isArchived, !keepsArchive {
      let set = HabitArchivedSet(habit: old.id, isArchived: new.isArchived)
      payloads.append(.habitArchivedSet(set))
    }
    report.updated += 1
  }

  /// Adds an entry.
  ///
  /// The other app records the date but not the time, see ``ImportedTime``.
  private mutating func add(_ value: Int64, note: String?, _ day: ForeignDay, from source: String) {
    payloads.append(
      .entryRecorded(
        EntryRecorded(
          habit: day.habit, date: day.date, kind: .imported(source: source), value: value,
          at: ImportedTime.ofDate(day.date), note: note)))
    report.entries += 1
  }

  private mutating func add(_ text: String, _ day: ForeignDay) {
    payloads.append(
      .noteRecorded(NoteRecorded(habit: day.habit, date: day.date, text: text)))
    report.notes += 1
  }

  private mutating func add(_ mark: DayMark, _ day: ForeignDay) {
    payloads.append(
      .dayMarked(DayMarked(habit: day.habit, first: day.date, last: day.date, mark: mark)))
    if mark == .skip { report.skips += 1 } else { report.marks += 1 }
  }
}

extension KnownDays {
  /// Whether a record ever existed, or its habit was erased.
  fileprivate func holds(_ day: ForeignDay, from source: String) throws -> Bool {
    if try isErased(day.habit) { return true }
    switch day.fact {
    case .done:
      let id = EntryID.imported(from: source, habit: day.habit, date: day.date)
      return try holds(id, of: day.habit, on: day.date)
    case .marked: return try holdsMark(of: day.habit, on: day.date)
    case .noted: return try holdsNote(of: day.habit, on: day.date)
    }
  }
}

extension Schedule {
  /// Returns the schedule as a later import has it: with the person's changes if its event is
  /// unchanged, and otherwise as the calendar has it.
  fileprivate func keepingChanges(before imported: Schedule) -> Schedule {
    guard revision?.content == imported.revision?.content else { return imported }
    var kept = self
    kept.revision = imported.revision
    return kept
  }
}
