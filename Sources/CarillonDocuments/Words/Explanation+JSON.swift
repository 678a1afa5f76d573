package import CarillonModel

extension Explanation {
  /// The values behind the reason, for programs: `since`, `until`, `done`, `of`, `replica`, `state`
  /// and `movedBy`, as far as the reason has them.
  package func values(_ time: LocalTime) -> JSON {
    switch detail {
    case .none, .owner: [:]
    case .date(let date): ["date": .text(date.description)]
    case .created(let instant): ["since": .text(time.rfc3339(instant))]
    case .paused(let first, let last, _):
      ["since": .text(first.description), "until": .text(last?.description)]
    case .doneRecently(let until), .coverage(let until): ["until": .text(time.rfc3339(until))]
    case .overCapacity(let until, let since):
      ["until": .text(time.rfc3339(until)), "since": .text(since.map(time.rfc3339))]
    case .quota(let quota, let done): ["done": .integer(done), "of": .integer(quota.count)]
    case .inactive(let since, let days):
      ["since": .text(since.description), "days": .integer(days)]
    case .delivery(let delivery):
      ["state": .text(delivery.state.rawValue), "replica": .text(delivery.replica.description)]
    case .quietHours(let until): ["until": .text(until.map(time.rfc3339))]
    case .device(let replica), .notDelivered(let replica): ["replica": .text(replica.description)]
    case .moved(let mover): ["movedBy": .text(mover.rawValue)]
    }
  }
}
