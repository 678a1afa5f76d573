internal import CarillonModel

/// Applies fetched items, receipts and responses.
extension EventApplier {
  func apply(_ observed: ItemObserved, _ event: RawEvent) throws {
    let scope = FactScope(
      table: .item, source: .items(Array(observed.source.utf8)), replica: event.replica)
    for (place, item) in observed.items.enumerated() {
      try insertFact(
        in: scope, observed.source, event.replica, event.id, place, item.item, item.revision,
        item.title)
    }
  }

  func apply(_ receipt: ReceiptAdvanced, _ event: RawEvent) throws {
    let (source, subject) = (FactSource(receipt.subject), SubjectColumns(receipt.subject))
    try insertFact(
      in: FactScope(table: .receipt, source: source, replica: event.replica), source.kind, source,
      event.replica, event.id, subject.schedule, subject.date, subject.time, subject.name,
      receipt.subject.revision, receipt.state.rank, receipt.at ?? event.instant, receipt.fireAt)
  }

  func apply(_ response: ResponseRecorded, _ event: RawEvent) throws {
    let (source, subject) = (FactSource(response.subject), SubjectColumns(response.subject))
    try insertFact(
      in: FactScope(table: .response, source: source, replica: event.replica), source.kind, source,
      event.replica, event.id, subject.schedule, subject.date, subject.time, subject.name,
      response.subject.revision, response.action.description, response.text,
      response.at ?? event.instant)
  }
}

/// The columns that identify a row's notification, other than the source.
struct SubjectColumns {
  var schedule: ScheduleID?
  var date: CivilDate?
  var time: TimeOfDay?
  var name: String?

  init(_ subject: ReceiptSubject) {
    switch subject {
    case .occurrence(let occurrence):
      schedule = occurrence.schedule
      (date, time) = (occurrence.nominal.date, occurrence.nominal.time)
    case .item(_, let item, _): name = item
    case .push(let id, _): name = id
    }
  }
}

extension RawEvent {
  /// The instant of the event's timestamp, to the millisecond.
  var instant: Instant { Instant(milliseconds: id.timestamp.milliseconds) }
}
