internal import CarillonModel

/// A search for the receipts of notifications, merged from the facts of all devices, the latest
/// first.
///
/// Facts are read in the order of their times. The time of a receipt is that of one of its facts,
/// so a receipt without a fact that was read is not later than the next fact.
///
/// Valid only during the call that received its reader.
struct ReceiptSearch {
  private let devices: [ReplicaID: Device]
  private let now: Instant
  /// All facts by time, the latest first.
  private let facts: Statement
  /// All observations of items by time, the latest first.
  private let items: Statement
  /// The facts about one notification.
  private let factsOfOne: Statement
  /// The first observation of one item.
  private let firstOfOne: Statement
  /// The last response to one notification.
  private let answerOfOne: Statement
  private let titles: ItemTitles

  /// - Parameter now: The moment that decides which receipts are `presumed`.
  init(_ reader: ProjectionReader, now: Instant) throws {
    let connection = reader.connection
    self.now = now
    devices = try reader.devices()
    titles = try ItemTitles(connection)
    facts = try connection.prepare(
      """
      SELECT kind, source, schedule, day, minute, name, revision, coalesce(fire_at, at)
      FROM receipt ORDER BY coalesce(fire_at, at) DESC
      """)
    items = try connection.prepare(
      "SELECT 2, source, NULL, NULL, NULL, item, revision, event FROM item ORDER BY event DESC")
    factsOfOne = try connection.prepare(
      """
      SELECT state, event, replica, at, fire_at FROM receipt
      WHERE \(SubjectColumns.condition) ORDER BY event
      """)
    firstOfOne = try connection.prepare(
      """
      SELECT event, place, replica FROM item WHERE source = ?2 AND item = ?6 AND revision = ?7
      ORDER BY event, place LIMIT 1
      """)
    answerOfOne = try connection.prepare(
      """
      SELECT action, text FROM response WHERE \(SubjectColumns.condition)
      ORDER BY event DESC LIMIT 1
      """)
  }

  /// Returns the latest receipts in some states.
  ///
  /// A receipt's time is the one at which the notification fires or fired; without one, that of its
  /// state.
  ///
  /// - Complexity: O(facts since the last of them).
  func latest(_ limit: Int, in states: Set<Receipt.State>) throws -> [Receipt] {
    var found: [Found] = []
    var known: Set<[UInt8]> = []
    var earliest: Instant?
    var times = (fact: try nextFact(), item: try nextItem())
    while limit > 0, let time = [times.fact, times.item].compactMap(\.self).max(),
      time >= earliest ?? time
    {
      let row = time == times.fact ? facts : items
      if known.insert(row.bytes(SubjectColumns.count)).inserted {
        let receipt = try receipt(row)
        if states.contains(receipt.receipt.state) { found.append(receipt) }
        if found.count == limit, earliest == nil { earliest = found.map(\.time).min() }
      }
      if row === facts { times.fact = try nextFact() } else { times.item = try nextItem() }
    }
    return found.sorted { $0.precedes($1) }.prefix(limit).map(\.receipt)
  }

  // MARK: - Parts

  /// A receipt, with what orders it.
  private struct Found {
    let receipt: Receipt
    /// The event that determines the state, and the item's index in it.
    let event: EventID
    let place: Int64

    var time: Instant { receipt.fireAt ?? receipt.at }

    func precedes(_ other: Found) -> Bool {
      if time != other.time { return time > other.time }
      return event == other.event ? place < other.place : event > other.event
    }
  }

  /// What a device recorded about a notification.
  private struct Fact {
    let state: ReceiptState
    let event: EventID
    let replica: ReplicaID
    let at: Instant
    let fireAt: Instant?
  }

  private func nextFact() throws -> Instant? { try facts.step() ? facts.instant(7) : nil }

  private func nextItem() throws -> Instant? {
    guard try items.step() else { return nil }
    return Instant(milliseconds: try items.eventID(7).timestamp.milliseconds)
  }

  /// Returns the receipt of the notification in a row.
  private func receipt(_ row: Statement) throws -> Found {
    let subject = try row.subject()
    let facts = try facts(of: row)
    guard let last = facts.map(\.state.rank).max(),
      let first = facts.first(where: { $0.state.rank == last })
    else { return try observation(row, of: subject) }
    let fireAt = facts.last { $0.state == first.state && $0.replica == first.replica }?.fireAt
    let state = Receipt.State(first.state, fireAt: fireAt, now: now, on: devices[first.replica])
    let receipt = Receipt(
      subject: subject, state: state,
      at: [.presumed, .delivered].contains(state) ? fireAt ?? first.at : first.at,
      replica: first.replica, title: try titles.title(of: subject),
      answer: state == .acted ? try answer(row) : nil,
      fireAt: fireAt ?? facts.compactMap(\.fireAt).max())
    return Found(receipt: receipt, event: first.event, place: 0)
  }

  /// Returns the receipt of an item about which nothing else is known.
  private func observation(_ row: Statement, of subject: ReceiptSubject) throws -> Found {
    firstOfOne.bind(subjectOf: row)
    defer { firstOfOne.reset() }
    guard try firstOfOne.step() else { throw Statement.damagedValue }
    let event = try firstOfOne.eventID(0)
    let receipt = Receipt(
      subject: subject, state: .observed,
      at: Instant(milliseconds: event.timestamp.milliseconds), replica: try firstOfOne.id(2),
      title: try titles.title(of: subject))
    return Found(receipt: receipt, event: event, place: firstOfOne.integer(1))
  }

  /// Returns the facts about the notification in a row, in ascending order of events.
  private func facts(of row: Statement) throws -> [Fact] {
    factsOfOne.bind(subjectOf: row)
    var facts: [Fact] = []
    while try factsOfOne.step() {
      facts.append(
        Fact(
          state: try factsOfOne.state(0), event: try factsOfOne.eventID(1),
          replica: try factsOfOne.id(2), at: factsOfOne.instant(3),
          fireAt: factsOfOne.isNull(4) ? nil : factsOfOne.instant(4)))
    }
    return facts
  }

  private func answer(_ row: Statement) throws -> Receipt.Answer? {
    answerOfOne.bind(subjectOf: row)
    defer { answerOfOne.reset() }
    guard try answerOfOne.step() else { return nil }
    return Receipt.Answer(
      action: try answerOfOne.parsed(0), text: try answerOfOne.optionalText(1))
  }
}

extension SubjectColumns {
  /// The number of columns that identify a notification: `kind`, `source`, `schedule`, `day`,
  /// `minute`, `name`, `revision`.
  fileprivate static let count = 7

  /// The condition that a fact is about the notification that the first parameters identify.
  static let condition = """
    kind = ?1 AND source = ?2 AND schedule IS ?3 AND day IS ?4 AND minute IS ?5 AND name IS ?6
    AND revision = ?7
    """
}

extension Statement {
  /// Binds the first parameters to the notification in the first columns of a row.
  fileprivate func bind(subjectOf row: Statement) {
    for index in 0..<SubjectColumns.count { bind(Int32(index + 1), column: index, of: row) }
  }

  /// Returns the notification in the first columns.
  fileprivate func subject() throws -> ReceiptSubject {
    switch integer(0) {
    case 1:
      .occurrence(
        OccurrenceID(
          habit: try id(1), schedule: try id(2), nominal: try nominal(3, 4),
          revision: .init(try text(6))))
    case 2: .item(source: try text(1), item: try text(5), revision: try text(6))
    default: .push(id: try text(5), revision: try text(6))
    }
  }
}
