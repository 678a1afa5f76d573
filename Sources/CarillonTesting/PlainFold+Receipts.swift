public import CarillonModel

/// What was fetched, shown and answered, and what happened in the background.
extension PlainFold {
  /// The items of a source that are kept, each once.
  public func observedItems(of source: String) -> Set<ItemObserved.Item> {
    Set(facts.keptItems(of: source).map(\.content))
  }

  /// What became of notifications by a moment, the latest change first.
  public func receipts(now: Instant) -> [Receipt] {
    let devices = state(span: nil).devices
    let groups = Dictionary(grouping: facts.keptReceipts) {
      [$0.content.subject.key, $0.content.subject.source, $0.content.revision]
    }
    let shown = groups.values.compactMap { facts in
      facts.min { left, right in
        let states = (left.content.state, right.content.state)
        return states.0 == states.1 ? left.event < right.event : states.0 > states.1
      }
    }
    return shown.sorted { $0.event > $1.event }.map { fact in
      let state = Receipt.State(
        fact.content.state, fireAt: fact.content.fireAt, now: now,
        isGranted: devices[fact.replica]?.permission.isGranted ?? false)
      let at = fact.content.at ?? Instant(milliseconds: fact.event.timestamp.milliseconds)
      return Receipt(
        subject: fact.content.subject, revision: fact.content.revision, state: state,
        at: state == .presumed ? fact.content.fireAt ?? at : at, replica: fact.replica)
    }
  }

  /// The responses that are kept.
  public var responses: Set<ResponseRecorded> { Set(facts.keptResponses.map(\.content)) }
}
