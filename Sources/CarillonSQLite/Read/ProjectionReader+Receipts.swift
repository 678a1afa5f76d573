package import CarillonModel

extension ProjectionReader {
  /// Returns the receipts of occurrences whose nominal date is in a range, or of all dates; of one
  /// habit or of all.
  ///
  /// There is one fact for each state of an occurrence in one revision on one replica. The greatest
  /// event ID decides the time at which it fires.
  ///
  /// - Complexity: O(facts of the range).
  package func occurrenceReceipts(
    range: ClosedRange<CivilDate>?, of habit: HabitID? = nil
  ) throws -> [HabitID: Set<OccurrenceReceipt>] {
    let range = range ?? Self.allDates
    let rows = try connection.query(
      """
      SELECT source, schedule, day, minute, revision, state, fire_at, replica, at
      FROM receipt
      WHERE \(habit == nil ? "" : "kind = ?3 AND source = ?4 AND ") day BETWEEN ?1 AND ?2
      ORDER BY day, source, minute, name, kind, replica, event
      """, range.lowerBound, range.upperBound)
    if let habit {
      rows.bind(3, FactSource.habit(habit).kind)
      rows.bind(4, habit)
    }
    var receipts: [HabitID: Set<OccurrenceReceipt>] = [:]
    // The facts of one date and time of a habit, which an index has side by side.
    var group: [OccurrenceReceipt] = []
    func addGroup() {
      guard let first = group.first else { return }
      receipts[first.occurrence.habit, default: []].formUnion(group)
      group.removeAll(keepingCapacity: true)
    }
    while try rows.step() {
      let occurrence = OccurrenceID(
        habit: try rows.id(0), schedule: try rows.id(1), nominal: try rows.nominal(2, 3),
        revision: .init(try rows.text(4)))
      let receipt = OccurrenceReceipt(
        occurrence, try rows.state(5), fireAt: rows.isNull(6) ? nil : rows.instant(6),
        replica: try rows.id(7), recordedAt: rows.instant(8))
      if let first = group.first?.occurrence,
        first.habit != occurrence.habit || first.nominal != occurrence.nominal
      {
        addGroup()
      }
      // Of equal facts the one with the greatest event ID counts, which comes last.
      let known = group.firstIndex {
        $0.replica == receipt.replica && $0.state == receipt.state && $0.occurrence == occurrence
      }
      if let known { group[known] = receipt } else { group.append(receipt) }
    }
    addGroup()
    return receipts
  }
}

extension ProjectionReader {
  /// Returns the receipts of notifications, including those of fetched items, by the times at which
  /// they fire or fired, the latest first.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of receipts.
  ///   - states: The states of the receipts.
  ///   - now: The moment that decides which receipts are `presumed`.
  /// - Complexity: O(facts since the last of them).
  package func receipts(
    limit: Int, in states: Set<Receipt.State>, now: Instant
  ) throws -> [Receipt] {
    try ReceiptSearch(self, now: now).latest(limit, in: states)
  }

  /// Whether a replica recorded, by a given moment, that a notification reached a state.
  package func hasReceipt(
    _ receipt: ReceiptAdvanced, of replica: ReplicaID, by now: Instant
  ) throws -> Bool {
    try holdsFact(
      of: .receipt, where: "state = ?9 AND at <= ?10", receipt.subject, replica, receipt.state.rank,
      now.lastKnown)
  }

  /// Whether a replica recorded a response.
  package func hasResponse(_ response: ResponseRecorded, of replica: ReplicaID) throws -> Bool {
    try holdsFact(
      of: .response, where: "action = ?9 AND text IS ?10", response.subject, replica,
      response.action.description, response.text)
  }

  /// Whether a replica recorded a fact about a subject that meets a condition on two values.
  private func holdsFact(
    of table: Table, where condition: String, _ subject: ReceiptSubject,
    _ replica: ReplicaID, _ first: some ParameterValue, _ second: some ParameterValue
  ) throws -> Bool {
    let (source, columns) = (FactSource(subject), SubjectColumns(subject))
    return try connection.query(
      """
      SELECT 1 FROM \(table.name)
      WHERE \(SubjectColumns.condition) AND replica = ?8 AND \(condition) LIMIT 1
      """, source.kind, source, columns.schedule, columns.date, columns.time, columns.name,
      subject.revision, replica, first, second
    ).step()
  }

  /// Returns the fetched item whose notification has an ID, in its newest retained revision; nil if
  /// there is none.
  ///
  /// - Complexity: O(items kept).
  package func item(_ id: RequestID) throws -> ReceiptSubject? {
    let items = try connection.prepare("SELECT DISTINCT source, item FROM item")
    while try items.step() {
      let (source, item) = (try items.text(0), try items.text(1))
      guard RequestID(source: source, item: item) == id else { continue }
      let newest = try connection.query(
        """
        SELECT revision FROM item WHERE source = ?1 AND item = ?2
        ORDER BY event DESC, place DESC LIMIT 1
        """, source, item)
      guard try newest.step() else { return nil }
      return .item(source: source, item: item, revision: try newest.text(0))
    }
    return nil
  }
}

extension Statement {
  /// Returns the nominal date and time from a column with the date and one with the minute.
  func nominal(_ date: Int, _ minute: Int) throws -> CivilDateTime {
    guard let time = TimeOfDay(minute: Int(clamping: integer(minute))) else {
      throw Self.damagedValue
    }
    return CivilDateTime(date: try self.date(date), time: time)
  }

  /// Returns the state of a receipt.
  func state(_ index: Int) throws -> ReceiptState {
    guard let state = ReceiptState(rank: integer(index)) else { throw Self.damagedValue }
    return state
  }
}
