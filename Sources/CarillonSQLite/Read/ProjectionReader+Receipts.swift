package import CarillonModel

extension ProjectionReader {
  /// What became of reminders whose nominal date lies in a span, or of all.
  ///
  /// - Complexity: O(facts of the span).
  package func occurrenceReceipts(
    span: ClosedRange<CivilDate>?
  ) throws -> [HabitID: Set<OccurrenceReceipt>] {
    let span = span ?? CivilDate(rawValue: .min)...CivilDate(rawValue: .max)
    let rows = try connection.prepare(
      """
      SELECT source, slot, day, minute, revision, state, fire_at, replica FROM receipt
      WHERE day IS NOT NULL AND day BETWEEN ?1 AND ?2
      """)
    rows.bind(1, span.lowerBound)
    rows.bind(2, span.upperBound)
    var receipts: [HabitID: Set<OccurrenceReceipt>] = [:]
    while try rows.step() {
      let receipt = OccurrenceReceipt(
        slot: try rows.id(1), nominal: try rows.nominal(2, 3), revision: try rows.text(4),
        state: try rows.state(5), fireAt: rows.isNull(6) ? nil : rows.instant(6),
        replica: try rows.id(7))
      receipts[try rows.id(0), default: []].insert(receipt)
    }
    return receipts
  }
}

extension Statement {
  /// A nominal date and its minute.
  func nominal(_ date: Int, _ minute: Int) throws -> CivilDateTime {
    guard let time = TimeOfDay(minute: Int(clamping: integer(minute))) else {
      throw Self.damagedValue
    }
    return CivilDateTime(date: try self.date(date), time: time)
  }

  /// The state of a receipt.
  func state(_ index: Int) throws -> ReceiptState {
    guard let state = ReceiptState(rank: integer(index)) else { throw Self.damagedValue }
    return state
  }
}
