internal import CarillonModel

/// What was fetched, shown and answered.
extension EventApplier {
  func apply(_ observed: ItemObserved, _ event: RawEvent) throws {
    let scope = FactScope(
      table: .item, source: .items(Array(observed.source.utf8)), replica: event.replica)
    let statement = try statement(.item)
    let next = scope.bind(statement)
    statement.bind(next, event.id)
    for (place, item) in observed.items.enumerated() {
      statement.bind(next + 1, Int64(place))
      statement.bind(next + 2, item.item)
      statement.bind(next + 3, item.revision)
      statement.bind(next + 4, item.title)
      try addFact(statement, in: scope)
    }
  }

  func apply(_ receipt: ReceiptAdvanced, _ event: RawEvent) throws {
    let scope = FactScope(
      table: .receipt, source: FactSource(receipt.subject), replica: event.replica)
    let statement = try statement(.receipt)
    let next = bind(receipt.subject, event, statement, from: scope.bind(statement))
    statement.bind(next, receipt.revision)
    statement.bind(next + 1, receipt.state.rank)
    statement.bind(next + 2, (receipt.at ?? event.instant).milliseconds)
    if let fireAt = receipt.fireAt {
      statement.bind(next + 3, fireAt.milliseconds)
    } else {
      statement.bindNull(next + 3)
    }
    try addFact(statement, in: scope)
  }

  func apply(_ response: ResponseRecorded, _ event: RawEvent) throws {
    let scope = FactScope(
      table: .response, source: FactSource(response.subject), replica: event.replica)
    let statement = try statement(.response)
    let next = bind(response.subject, event, statement, from: scope.bind(statement))
    statement.bind(next, response.revision)
    statement.bind(next + 1, response.action)
    statement.bind(next + 2, response.text)
    statement.bind(next + 3, (response.at ?? event.instant).milliseconds)
    try addFact(statement, in: scope)
  }

  /// Binds event, slot, day, minute and name, and gives the number of the next parameter.
  private func bind(
    _ subject: ReceiptSubject, _ event: RawEvent, _ statement: Statement, from index: Int32
  ) -> Int32 {
    statement.bind(index, event.id)
    for column in 1...4 { statement.bindNull(index + Int32(column)) }
    switch subject {
    case .occurrence(_, let slot, let nominal):
      statement.bind(index + 1, slot)
      statement.bind(index + 2, nominal.date)
      statement.bind(index + 3, Int64(nominal.time.minute))
    case .item(_, let item): statement.bind(index + 4, item)
    case .push(let id): statement.bind(index + 4, id)
    }
    return index + 5
  }
}

extension RawEvent {
  /// The timestamp's millisecond.
  var instant: Instant { Instant(milliseconds: id.timestamp.milliseconds) }
}
