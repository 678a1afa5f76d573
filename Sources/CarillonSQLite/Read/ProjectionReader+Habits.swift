package import CarillonModel
internal import CarillonWire

extension ProjectionReader {
  /// Returns all habits in ascending order of IDs, including archived and deleted ones.
  package func habits() throws -> [Habit] {
    try habits(where: "TRUE")
  }

  /// Returns one habit, even if it is archived or deleted; nil if it was not created.
  package func habit(_ id: HabitID) throws -> Habit? {
    try habits(where: "habit = ?1", id).first
  }

  /// Returns those of some habits that were created, in ascending order of IDs, even if they are
  /// archived or deleted.
  package func habits(_ ids: [HabitID]) throws -> [Habit] {
    let list = ids.map { "x'\($0.description.filter { $0 != "-" })'" }.joined(separator: ", ")
    return try habits(where: "habit IN (\(list))")
  }

  /// Returns the habits with a title, compared byte for byte, including archived and deleted ones.
  ///
  /// - Complexity: O(log habits).
  package func habits(titled title: String) throws -> [Habit] {
    let rows = try connection.query(
      "SELECT habit FROM habit_field WHERE \(Table.isTitle) AND value = ?1", title)
    var ids: [HabitID] = []
    while try rows.step() { ids.append(try rows.id(0)) }
    return try ids.compactMap(habit)
  }

  /// Returns the event that first created a habit, even if it is archived or deleted; nil if there
  /// is none.
  package func creation(of habit: HabitID) throws -> EventID? {
    let rows = try connection.query("SELECT event FROM habit WHERE habit = ?1", habit)
    return try rows.step() ? try rows.eventID(0) : nil
  }

  /// Returns the deletes of a habit that no restore names, in ascending order.
  package func deletes(of habit: HabitID) throws -> [EventID] {
    let rows = try connection.query(
      """
      SELECT event FROM habit_delete
      WHERE habit = ?1 AND deleted = 1 AND restored = 0 ORDER BY event
      """, habit)
    var events: [EventID] = []
    while try rows.step() { events.append(try rows.eventID(0)) }
    return events
  }

  /// Returns all pauses in ascending order of IDs, including those that are over.
  package func pauses() throws -> [Pause] {
    // The columns of a group are those of its row with the greatest event.
    let rows = try connection.prepare(
      """
      SELECT pause, habit, first, last, max(event) FROM pause GROUP BY pause ORDER BY pause
      """)
    var pauses: [Pause] = []
    while try rows.step() {
      pauses.append(
        Pause(
          id: try rows.id(0), habit: try rows.blob(1).isEmpty ? nil : try rows.id(1),
          first: try rows.date(2),
          last: rows.isNull(3) ? nil : try rows.date(3)))
    }
    return pauses
  }

  /// Returns the time of the event that last set or removed a schedule; nil if there is none.
  package func scheduleWritten(_ schedule: ScheduleID, of habit: HabitID) throws -> Instant? {
    let rows = try connection.query(
      "SELECT event FROM schedule WHERE habit = ?1 AND schedule = ?2", habit, schedule)
    guard try rows.step() else { return nil }
    return Instant(milliseconds: try rows.eventID(0).timestamp.milliseconds)
  }

  /// Returns the times of the events that last set a habit's schedules.
  package func schedulesWritten(of habit: HabitID) throws -> [ScheduleID: Instant] {
    let rows = try connection.prepare("SELECT schedule, event FROM schedule WHERE habit = ?1")
    rows.bind(1, habit)
    var written: [ScheduleID: Instant] = [:]
    while try rows.step() { written[try rows.id(0)] = try rows.eventID(1).instant }
    return written
  }

  /// Returns the times of the events that last set the schedules of all habits.
  package func schedulesWritten() throws -> [HabitID: [ScheduleID: Instant]] {
    let rows = try connection.prepare("SELECT habit, schedule, event FROM schedule")
    var written: [HabitID: [ScheduleID: Instant]] = [:]
    while try rows.step() {
      written[try rows.id(0), default: [:]][try rows.id(1)] = try rows.eventID(2).instant
    }
    return written
  }

  /// Returns the instants at which schedules were first set: those of one habit, or all.
  ///
  /// - Parameter start: Leaves out the schedules that were first set before this date in UTC; nil
  ///   returns all.
  package func schedulesCreated(
    of habit: HabitID? = nil, since start: CivilDate? = nil
  ) throws -> [HabitID: [ScheduleID: Instant]] {
    let first = start.map { Timestamp(milliseconds: Int64(max(0, $0.rawValue)) * 86_400_000) }
    let rows = try connection.query(
      "SELECT habit, schedule, event FROM schedule_created WHERE event >= ?1"
        + (habit == nil ? "" : " AND habit = ?2") + " ORDER BY habit",
      EventID(words: (first?.rawValue ?? 0, 0, 0, 0)))
    if let habit { rows.bind(2, habit) }
    var created: [HabitID: [ScheduleID: Instant]] = [:]
    var (last, own) = (HabitID.zero, [ScheduleID: Instant]())
    while try rows.step() {
      let next: HabitID = try rows.id(0)
      if next != last {
        if !own.isEmpty { created[last] = own }
        (last, own) = (next, [:])
      }
      own[try rows.id(1)] = try rows.eventID(2).instant
    }
    if !own.isEmpty { created[last] = own }
    return created
  }

  // MARK: - Parts

  /// Returns the complete habits whose rows meet a condition on `habit`, in ascending order of IDs.
  ///
  /// Each table is read once, in the order of its key.
  private func habits(where condition: String, _ id: HabitID? = nil) throws -> [Habit] {
    func rows(
      _ columns: String, _ table: String, and part: String? = nil, by key: String = "habit"
    ) throws -> Statement {
      let conditions = [condition, part].compactMap(\.self).joined(separator: " AND ")
      let rows = try connection.prepare(
        "SELECT \(columns) FROM \(table) WHERE \(conditions) ORDER BY \(key)")
      if let id { rows.bind(1, id) }
      return rows
    }
    var habits: [Habit] = []
    let created = try rows("habit", "habit")
    while try created.step() { habits.append(Habit(id: try created.id(0), title: "")) }
    let fields = try rows("habit, field, value", "habit_field")
    try fields.forEachRow(of: &habits) { habit in
      guard let number = UInt32(exactly: fields.integer(1)),
        let field = HabitField(rawValue: number)
      else { throw Statement.damagedValue }
      habit[field] = fields.habitFieldValue(2)
    }
    let removed = try rows("habit, schedule", "schedule", and: "removed = 1")
    var isRemoved: [HabitID: Set<ScheduleID>] = [:]
    while try removed.step() { isRemoved[try removed.id(0), default: []].insert(try removed.id(1)) }
    let schedules = try rows(
      "habit, schedule, value", "schedule_field", and: "value IS NOT NULL", by: "habit, schedule")
    try addSchedules(schedules, without: isRemoved, to: &habits)
    let archived = try rows("habit, archived", "habit_archived")
    try archived.forEachRow(of: &habits) { $0.isArchived = archived.integer(1) == 1 }
    let deleted = try rows("habit", "habit_delete", and: "deleted > restored")
    try deleted.forEachRow(of: &habits) { $0.isDeleted = true }
    return habits
  }

  /// Adds the schedules to which rows of fields merge, in ascending order of IDs.
  ///
  /// Many schedules have equal fields, which are decoded once.
  private func addSchedules(
    _ rows: Statement, without removed: [HabitID: Set<ScheduleID>], to habits: inout [Habit]
  ) throws {
    var (habit, schedule, fields) = (HabitID.zero, ScheduleID.zero, [UInt8]())
    var start = 0
    var decoded: [[UInt8]: Schedule?] = [:]
    func decode() throws -> Schedule? {
      if let known = decoded[fields] { return known }
      do throws(ModelError) {
        let merged = try PayloadCoding.schedule(schedule, encodedFields: fields)
        decoded[fields] = .some(merged)
        return merged
      } catch {
        throw Statement.damagedValue
      }
    }
    func add() throws {
      guard !fields.isEmpty, let index = habits.index(of: habit, from: &start),
        removed[habit]?.contains(schedule) != true, var merged = try decode()
      else { return }
      merged.id = schedule
      habits[index].schedules.append(merged)
    }
    while try rows.step() {
      let key: (HabitID, ScheduleID) = (try rows.id(0), try rows.id(1))
      if key != (habit, schedule) {
        try add()
        (habit, schedule) = key
        fields.removeAll(keepingCapacity: true)
      }
      fields += try rows.blob(2)
    }
    try add()
  }
}

extension [Habit] {
  /// Returns the index of a habit in ascending order of IDs, and continues there with the next one;
  /// nil if there is none.
  fileprivate func index(of id: HabitID, from start: inout Int) -> Int? {
    while start < count, self[start].id < id { start += 1 }
    return start < count && self[start].id == id ? start : nil
  }
}

extension Statement {
  /// Changes the habits of all rows, which are in ascending order of IDs.
  ///
  /// Rows of a habit that was not created are skipped.
  fileprivate func forEachRow(
    of habits: inout [Habit], _ change: (inout Habit) throws -> Void
  ) throws {
    var start = 0
    while try step() {
      if let index = habits.index(of: try id(0), from: &start) { try change(&habits[index]) }
    }
  }

  /// Returns the value of a habit's field.
  func habitFieldValue(_ index: Int) -> HabitFieldValue {
    switch column(index) {
    case .integer(let integer): .integer(integer)
    case .text(let text): .text(String(decoding: text, as: UTF8.self))
    case .null, .blob: .none
    }
  }
}
