package import CarillonModel
internal import CarillonWire

extension ProjectionReader {
  /// Returns all habits in ascending order of IDs, including archived and deleted ones.
  package func habits() throws -> [Habit] {
    try habits(where: "")
  }

  /// Returns one habit, even if it is archived or deleted; nil if it was not created.
  package func habit(_ id: HabitID) throws -> Habit? {
    try habits(where: "WHERE habit = ?1", id).first
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

  /// Returns the instants at which schedules were first set: those of one habit, or all.
  package func schedulesCreated(
    of habit: HabitID? = nil
  ) throws -> [HabitID: [ScheduleID: Instant]] {
    let rows = try connection.prepare(
      "SELECT habit, schedule, event FROM schedule_created"
        + (habit == nil ? "" : " WHERE habit = ?1"))
    if let habit { rows.bind(1, habit) }
    var created: [HabitID: [ScheduleID: Instant]] = [:]
    while try rows.step() {
      created[try rows.id(0), default: [:]][try rows.id(1)] = try rows.eventID(2).instant
    }
    return created
  }

  // MARK: - Parts

  /// Returns the complete habits whose rows meet a condition on `habit`.
  private func habits(where condition: String, _ id: HabitID? = nil) throws -> [Habit] {
    func rows(_ columns: String, _ table: String) throws -> Statement {
      let rows = try connection.prepare("SELECT \(columns) FROM \(table) \(condition)")
      if let id { rows.bind(1, id) }
      return rows
    }
    var habits: [HabitID: Habit] = [:]
    let created = try rows("habit", "habit")
    while try created.step() {
      let id: HabitID = try created.id(0)
      habits[id] = Habit(id: id, title: "")
    }
    try setFields(rows("habit, field, value", "habit_field"), in: &habits)
    let fields = try connection.prepare(
      """
      SELECT habit, schedule, value FROM schedule JOIN schedule_field USING (habit, schedule)
      \(condition.isEmpty ? "WHERE" : "\(condition) AND") removed = 0 AND value IS NOT NULL
      ORDER BY habit, schedule
      """)
    if let id { fields.bind(1, id) }
    try addSchedules(fields, to: &habits)
    let archived = try rows("habit, archived", "habit_archived")
    while try archived.step() { habits[try archived.id(0)]?.isArchived = archived.integer(1) == 1 }
    let deleted = try rows("habit, deleted > restored", "habit_delete")
    while try deleted.step() {
      if deleted.integer(1) == 1 { habits[try deleted.id(0)]?.isDeleted = true }
    }
    return habits.values.sorted { $0.id < $1.id }
  }

  private func setFields(_ rows: Statement, in habits: inout [HabitID: Habit]) throws {
    while try rows.step() {
      guard let field = UInt32(exactly: rows.integer(1)).flatMap(HabitField.init(rawValue:)) else {
        throw Statement.damagedValue
      }
      habits[try rows.id(0)]?[field] = rows.habitFieldValue(2)
    }
  }

  /// Adds the schedules to which rows of fields merge, in ascending order of IDs.
  private func addSchedules(_ rows: Statement, to habits: inout [HabitID: Habit]) throws {
    var (habit, schedule, fields) = (HabitID.zero, ScheduleID.zero, [UInt8]())
    func add() throws {
      guard !fields.isEmpty else { return }
      do throws(ModelError) {
        if let merged = try PayloadCoding.schedule(schedule, encodedFields: fields) {
          habits[habit]?.schedules.append(merged)
        }
      } catch {
        throw Statement.damagedValue
      }
    }
    while try rows.step() {
      let key: (HabitID, ScheduleID) = (try rows.id(0), try rows.id(1))
      if key != (habit, schedule) {
        try add()
        (habit, schedule, fields) = (key.0, key.1, [])
      }
      fields += try rows.blob(2)
    }
    try add()
  }
}

extension Statement {
  /// Returns the value of a habit's field.
  func habitFieldValue(_ index: Int) -> HabitFieldValue {
    switch column(index) {
    case .integer(let integer): .integer(integer)
    case .text(let text): .text(String(decoding: text, as: UTF8.self))
    case .null, .blob: .none
    }
  }
}
