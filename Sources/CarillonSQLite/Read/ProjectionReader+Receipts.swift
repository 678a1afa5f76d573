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
    let range = range ?? CivilDate(rawValue: .min)...CivilDate(rawValue: .max)
    let rows = try connection.query(
      """
      SELECT source, schedule, day, minute, revision, state, fire_at, replica, at, max(event)
      FROM receipt
      WHERE \(habit == nil ? "" : "kind = ?3 AND source = ?4 AND ")
        day IS NOT NULL AND day BETWEEN ?1 AND ?2
      GROUP BY source, schedule, day, minute, revision, state, replica
      """, range.lowerBound, range.upperBound)
    if let habit {
      rows.bind(3, FactSource.habit(habit).kind)
      rows.bind(4, habit)
    }
    var receipts: [HabitID: Set<OccurrenceReceipt>] = [:]
    while try rows.step() {
      let occurrence = OccurrenceID(
        habit: try rows.id(0), schedule: try rows.id(1), nominal: try rows.nominal(2, 3),
        revision: .init(try rows.text(4)))
      let receipt = OccurrenceReceipt(
        occurrence, try rows.state(5), fireAt: rows.isNull(6) ? nil : rows.instant(6),
        replica: try rows.id(7), recordedAt: rows.instant(8))
      receipts[occurrence.habit, default: []].insert(receipt)
    }
    return receipts
  }
}

extension ProjectionReader {
  /// Returns the receipts of notifications, including those of fetched items, the latest change
  /// first.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of receipts.
  ///   - state: The state of the receipts; nil for all states.
  ///   - now: The moment that decides which receipts are `presumed`.
  /// - Complexity: O(facts kept), independent of the limit.
  package func receipts(
    limit: Int, state: Receipt.State?, now: Instant
  ) throws -> [Receipt] {
    let devices = try devices()
    let titles = try ItemTitles(connection)
    let answers = try answers()
    // SQLite takes a group's other columns from the row with the least value: the least event of
    // the last state.
    let rows = try connection.prepare(
      """
      SELECT kind, source, schedule, day, minute, name, revision, state, at, fire_at, replica,
        event, fires, min(printf('%d', 9 - state) || hex(event) || printf('%04d', place))
      FROM (
        SELECT kind, source, schedule, day, minute, name, revision, state, at,
          first_value(fire_at) OVER (
            PARTITION BY kind, source, schedule, day, minute, name, revision, state, replica
            ORDER BY event DESC) AS fire_at,
          replica, event, 0 AS place,
          max(fire_at) OVER (
            PARTITION BY kind, source, schedule, day, minute, name, revision) AS fires
        FROM receipt
        UNION ALL
        SELECT 2, source, NULL, NULL, NULL, item, revision, 0, NULL, NULL, replica, event, place,
          NULL
        FROM item)
      GROUP BY kind, source, schedule, day, minute, name, revision
      ORDER BY event DESC, place
      """)
    var receipts: [Receipt] = []
    while receipts.count < limit, try rows.step() {
      let replica: ReplicaID = try rows.id(10)
      let fireAt = rows.isNull(9) ? nil : rows.instant(9)
      let fires = rows.isNull(12) ? nil : rows.instant(12)
      let written = try rows.eventID(11).timestamp.milliseconds
      let at = rows.isNull(8) ? Instant(milliseconds: written) : rows.instant(8)
      let reached = Receipt.State(
        rows.integer(7) == 0 ? nil : try rows.state(7), fireAt: fireAt, now: now,
        on: devices[replica])
      guard reached == state ?? reached else { continue }
      let subject = try rows.subject(0)
      receipts.append(
        Receipt(
          subject: subject, state: reached,
          at: [.presumed, .delivered].contains(reached) ? fireAt ?? at : at, replica: replica,
          title: try titles.title(of: subject),
          answer: reached == .acted ? answers[AnswerKey(subject)] : nil, fireAt: fireAt ?? fires))
    }
    return receipts
  }

  /// Returns the last response to each notification in each revision.
  private func answers() throws -> [AnswerKey: Receipt.Answer] {
    let rows = try connection.prepare(
      """
      SELECT kind, source, schedule, day, minute, name, revision, action, text FROM response
      ORDER BY event
      """)
    var answers: [AnswerKey: Receipt.Answer] = [:]
    while try rows.step() {
      answers[AnswerKey(try rows.subject(0))] = Receipt.Answer(
        action: try rows.parsed(7), text: try rows.optionalText(8))
    }
    return answers
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
      WHERE kind = ?1 AND source = ?2 AND replica = ?3 AND schedule IS ?4 AND day IS ?5
        AND minute IS ?6 AND name IS ?7 AND revision = ?8 AND \(condition)
      LIMIT 1
      """, source.kind, source, replica, columns.schedule, columns.date, columns.time, columns.name,
      subject.revision, first, second
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

/// A subject, compared byte for byte as in the tables.
private struct AnswerKey: Hashable {
  private let bytes: [UInt8]

  init(_ subject: ReceiptSubject) {
    bytes =
      Array(subject.source.utf8) + [0xFF] + Array(subject.notificationID.description.utf8) + [0xFF]
      + Array(subject.revision.utf8)
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

  /// Returns a receipt's subject, from the columns `kind` to `revision`, starting at `kind`.
  fileprivate func subject(_ kind: Int) throws -> ReceiptSubject {
    switch integer(kind) {
    case 1:
      .occurrence(
        OccurrenceID(
          habit: try id(kind + 1), schedule: try id(kind + 2),
          nominal: try nominal(kind + 3, kind + 4), revision: .init(try text(kind + 6))))
    case 2:
      .item(
        source: try text(kind + 1), item: try text(kind + 5), revision: try text(kind + 6))
    default: .push(id: try text(kind + 5), revision: try text(kind + 6))
    }
  }

  /// Returns the state of a receipt.
  func state(_ index: Int) throws -> ReceiptState {
    guard let state = ReceiptState(rank: integer(index)) else { throw Self.damagedValue }
    return state
  }
}
