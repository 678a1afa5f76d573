package import CarillonModel

/// Items, receipts and responses, and events of the background.
extension ReferenceFold {
  /// Returns the items of a source within the retention, each once.
  package func observedItems(of source: String) -> Set<ItemObserved.Item> {
    Set(facts.keptItems(of: source).map(\.content))
  }

  /// Returns the receipts of notifications and items at a moment, by the times at which they
  /// fire or fired, the latest first.
  package func receipts(now: Instant) -> [Receipt] {
    let devices = state(range: nil).devices
    let groups = Dictionary(grouping: told) { $0.content.subject.bytes }
    let shown = groups.values.compactMap { facts in
      facts.min { left, right in
        let ranks = (left.content.state?.rank ?? 0, right.content.state?.rank ?? 0)
        return ranks.0 == ranks.1
          ? (left.event, left.place) < (right.event, right.place) : ranks.0 > ranks.1
      }
    }
    let (answers, titles) = (answers, titles)
    let fires = Dictionary(grouping: facts.keptReceipts) { $0.content.subject.bytes }
      .compactMapValues { $0.compactMap(\.content.fireAt).max() }
    let receipts = shown.map { fact in
      let state = Receipt.State(
        fact.content.state, fireAt: fact.content.fireAt, now: now, on: devices[fact.replica])
      let at = fact.content.at ?? fact.event.instant
      let receipt = Receipt(
        subject: fact.content.subject, state: state,
        at: [.presumed, .delivered].contains(state) ? fact.content.fireAt ?? at : at,
        replica: fact.replica,
        title: titles[fact.content.subject.bytes],
        answer: state == .acted ? answers[fact.content.subject.bytes] : nil,
        fireAt: fact.content.fireAt ?? fires[fact.content.subject.bytes])
      return (receipt, time: receipt.fireAt ?? receipt.at, event: fact.event, place: fact.place)
    }
    return receipts.sorted { left, right in
      if left.time != right.time { return left.time > right.time }
      return left.event == right.event ? left.place < right.place : left.event > right.event
    }.map(\.0)
  }

  /// The most recently observed titles of items, by the bytes of their subjects.
  private var titles: [[[UInt8]]: String] {
    var titles: [[[UInt8]]: String] = [:]
    for source in facts.sources {
      let items = facts.keptItems(of: source)
      for fact in items.sorted(by: { ($0.event, $0.place) < ($1.event, $1.place) }) {
        let subject = ReceiptSubject.item(
          source: source, item: fact.content.item, revision: fact.content.revision)
        titles[subject.bytes] = fact.content.title
      }
    }
    return titles
  }

  /// The most recent answers, by the bytes of their subjects.
  private var answers: [[[UInt8]]: Receipt.Answer] {
    var answers: [[[UInt8]]: Receipt.Answer] = [:]
    for fact in facts.keptResponses.sorted(by: { $0.event < $1.event }) {
      let response = fact.content
      answers[response.subject.bytes] =
        Receipt.Answer(action: response.action, text: response.text)
    }
    return answers
  }

  /// What one fact reports about a notification.
  private struct Told {
    let subject: ReceiptSubject
    /// Nil for an observed item.
    var state: ReceiptState?
    var at: Instant?
    var fireAt: Instant?
  }

  private var told: [ReferenceFacts.Fact<Told>] {
    let deciding = facts.decidingReceipts
    let receipts = facts.keptReceipts.map { fact in
      ReferenceFacts.Fact(
        event: fact.event, place: 0, replica: fact.replica,
        content: Told(
          subject: fact.content.subject, state: fact.content.state, at: fact.content.at,
          fireAt: deciding[ReferenceFacts.ReceiptName(fact)]?.content.fireAt))
    }
    let items = facts.sources.flatMap { source in
      facts.keptItems(of: source).map { fact in
        ReferenceFacts.Fact(
          event: fact.event, place: fact.place, replica: fact.replica,
          content: Told(
            subject: .item(
              source: source, item: fact.content.item, revision: fact.content.revision)))
      }
    }
    return receipts + items
  }

  /// The responses within the retention.
  package var responses: Set<ResponseRecorded> { Set(facts.keptResponses.map(\.content)) }
}
