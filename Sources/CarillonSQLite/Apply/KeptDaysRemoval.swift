internal import CarillonModel

/// Removes kept sums of dates if an entry of one of these dates is recorded or withdrawn.
struct KeptDaysRemoval {
  private let connection: Connection
  /// For each habit with sums their last date, and the greatest event that recorded an entry of
  /// them.
  private var kept: [HabitID: (through: CivilDate, newest: EventID)] = [:]

  init(_ connection: Connection) throws {
    self.connection = connection
    let rows = try connection.prepare("SELECT habit, through, event FROM kept_days")
    while try rows.step() { kept[try rows.id(0)] = (try rows.date(1), try rows.eventID(2)) }
  }

  /// Removes a habit's sums if they include a date.
  mutating func remove(_ habit: HabitID, on date: CivilDate) throws {
    guard !kept.isEmpty, let sums = kept[habit], date <= sums.through else { return }
    try remove(habit)
  }

  /// Removes all sums that may contain a recording.
  ///
  /// A withdrawal does not name the date. But what was recorded after all of the entries in the
  /// sums is not one of them.
  mutating func remove(recording: EventID) throws {
    for (habit, sums) in kept where recording <= sums.newest { try remove(habit) }
  }

  /// Removes a habit's sums.
  mutating func remove(_ habit: HabitID) throws {
    guard kept.removeValue(forKey: habit) != nil else { return }
    try connection.execute("DELETE FROM kept_days WHERE habit = ?1", habit)
  }
}
