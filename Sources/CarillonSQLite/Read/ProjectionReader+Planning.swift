package import CarillonModel

extension ProjectionReader {
  /// Returns the active snoozes of occurrences whose nominal date is in a range, and those that end
  /// at midnight UTC of the range's first date or later; without a range, all active snoozes.
  ///
  /// A habit's snoozes are ordered by schedule, nominal date and time, and number.
  ///
  /// - Complexity: O(snoozes of the range).
  package func snoozes(range: ClosedRange<CivilDate>?) throws -> [HabitID: [Snooze]] {
    let range = range ?? Self.allDates
    let rows = try connection.query(
      """
      SELECT habit, schedule, day, minute, number, until, ignores_quiet_hours, event FROM snooze
      WHERE until IS NOT NULL AND (day BETWEEN ?1 AND ?2 OR until >= ?3)
      ORDER BY habit, schedule, day, minute, number
      """, range.lowerBound, range.upperBound, Int64(range.lowerBound.rawValue) * 86_400_000)
    var snoozes: [HabitID: [Snooze]] = [:]
    while try rows.step() {
      snoozes[try rows.id(0), default: []].append(
        Snooze(
          schedule: try rows.id(1), nominal: try rows.nominal(2, 3),
          number: Int(clamping: rows.integer(4)), until: rows.instant(5),
          ignoresQuietHours: rows.integer(6) == 1, event: try rows.eventID(7)))
    }
    return snoozes
  }

  /// Returns the latest recording of a live entry on each date of habits, in a range or of all
  /// dates.
  ///
  /// - Complexity: O(entries of these habits in the range).
  func lastRecordings(
    of habits: some Sequence<HabitID>, range: ClosedRange<CivilDate>?
  ) throws -> [HabitID: [CivilDate: EventID]] {
    let range = range ?? Self.allDates
    let rows = try connection.prepare(
      """
      SELECT day, max(event) FROM entry
      WHERE habit = ?1 AND day BETWEEN ?2 AND ?3 AND \(Table.isLive) GROUP BY day
      """)
    var recordings: [HabitID: [CivilDate: EventID]] = [:]
    for habit in habits {
      rows.bindAll(habit, range.lowerBound, range.upperBound)
      while try rows.step() {
        recordings[habit, default: [:]][try rows.date(0)] = try rows.eventID(1)
      }
    }
    return recordings
  }

  /// Returns the settings of the store.
  ///
  /// Names and values that this build does not know have no effect.
  package func settings() throws -> StoreSettings {
    StoreSettings(settingTexts: try settingTexts())
  }

  /// Returns the settings that are set, with their texts as given, whether known or not.
  package func settingTexts() throws -> [String: String] {
    let rows = try connection.prepare("SELECT name, value FROM setting WHERE value IS NOT NULL")
    var texts: [String: String] = [:]
    while try rows.step() { texts[try rows.text(0)] = try rows.text(1) }
    return texts
  }

  /// Returns the times of the live entries of habits in ascending order, in a range or of all
  /// dates.
  ///
  /// Several live recordings of one entry count as one entry, with the time of the greatest event
  /// ID.
  ///
  /// - Complexity: O(entries of these habits in the range).
  package func entryTimes(
    of habits: [HabitID], range: ClosedRange<CivilDate>?
  ) throws -> [HabitID: [Instant]] {
    let range = range ?? Self.allDates
    let rows = try connection.prepare(
      """
      SELECT entry, day, at FROM entry
      WHERE habit = ?1 AND day BETWEEN ?2 AND ?3 AND \(Table.isLive)
      ORDER BY habit, day, entry, event
      """)
    rows.bind(2, range.lowerBound)
    rows.bind(3, range.upperBound)
    var times: [HabitID: [Instant]] = [:]
    for habit in habits {
      rows.bind(1, habit)
      var last: (entry: EntryID, date: CivilDate)?
      var own: [Instant] = []
      while try rows.step() {
        let next: (EntryID, CivilDate) = (try rows.id(0), try rows.date(1))
        if let last, last == next { own.removeLast() }
        own.append(rows.instant(2))
        last = next
      }
      if !own.isEmpty { times[habit] = own.sorted() }
    }
    return times
  }

  /// Returns the latest event of each replica that the log had at the reader's moment.
  ///
  /// - Complexity: O(branches); O(branches x log events) for an earlier moment.
  func latestEvents() throws -> [ReplicaID: EventID] {
    var latest: [ReplicaID: EventID] = [:]
    for branch in try log.branches() {
      guard let id = try lastEvent(of: branch) else { continue }
      latest[branch.replica] = max(latest[branch.replica] ?? id, id)
    }
    return latest
  }

  /// Returns the last event of a branch that was written at or before the reader's moment.
  ///
  /// Timestamps increase along a branch.
  private func lastEvent(of branch: Branch) throws -> EventID? {
    guard let moment, branch.headID.timestamp.milliseconds > moment.milliseconds else {
      return branch.headID
    }
    var found: EventID?
    var (first, end) = (SequenceNumber.first.rawValue, branch.headSequence.rawValue)
    while first < end {
      let middle = first + (end - first) / 2
      var id: EventID?
      try log.scan(branch: branch.index, from: SequenceNumber(rawValue: middle)) { event in
        id = event.id
        return false
      }
      guard let id else { break }
      if id.timestamp.milliseconds <= moment.milliseconds {
        (found, first) = (id, middle + 1)
      } else {
        end = middle
      }
    }
    return found
  }
}

extension Habit {
  /// Whether a schedule depends on the times of entries.
  package var asksForEntryTimes: Bool {
    schedules.contains { $0.doneWithinSeconds != nil || $0.countsFromEntries }
  }
}
