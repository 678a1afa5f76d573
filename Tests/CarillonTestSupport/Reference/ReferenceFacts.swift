internal import CarillonModel

/// Items, receipts and responses, collected in memory: all of them are stored, and the newest are
/// selected on each query.
struct ReferenceFacts: Sendable {
  /// A fact with its place in the order of facts.
  struct Fact<Content: Sendable>: Sendable {
    let event: EventID
    let place: Int
    let replica: ReplicaID
    let content: Content
  }

  private var items: [EventID: (replica: ReplicaID, observed: ItemObserved)] = [:]
  private var receipts: [EventID: Fact<ReceiptAdvanced>] = [:]
  private var responses: [EventID: Fact<ResponseRecorded>] = [:]

  mutating func apply(_ observed: ItemObserved, of event: StoredEvent) {
    items[event.id] = (event.replica, observed)
  }

  mutating func apply(_ receipt: ReceiptAdvanced, of event: StoredEvent) {
    receipts[event.id] = Fact(
      event: event.id, place: 0, replica: event.replica, content: receipt)
  }

  mutating func apply(_ response: ResponseRecorded, of event: StoredEvent) {
    responses[event.id] = Fact(
      event: event.id, place: 0, replica: event.replica, content: response)
  }

  /// Returns the items of a source within the retention.
  func keptItems(of source: String) -> [Fact<ItemObserved.Item>] {
    let facts = items.flatMap { event, said in
      said.observed.source.utf8.elementsEqual(source.utf8)
        ? said.observed.items.enumerated().map {
          Fact(event: event, place: $0, replica: said.replica, content: $1)
        } : []
    }
    return Self.newest(facts) { _ in [] }
  }

  /// The sources that items were observed from.
  var sources: [String] {
    Set(items.values.map { Array($0.observed.source.utf8) }).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  /// The receipts within the retention.
  var keptReceipts: [Fact<ReceiptAdvanced>] {
    Self.newest(Array(receipts.values)) { $0.subject.scope }
  }

  /// The key of receipts among which the one with the greatest event ID decides.
  struct ReceiptName: Hashable {
    private let subject: [[UInt8]]
    private let state: ReceiptState
    private let replica: ReplicaID

    init(_ fact: Fact<ReceiptAdvanced>) {
      subject = fact.content.subject.bytes
      state = fact.content.state
      replica = fact.replica
    }
  }

  /// For each subject, state and replica, the receipt with the greatest event ID.
  var decidingReceipts: [ReceiptName: Fact<ReceiptAdvanced>] {
    Dictionary(keptReceipts.map { (ReceiptName($0), $0) }) { $0.event > $1.event ? $0 : $1 }
  }

  /// The responses within the retention.
  var keptResponses: [Fact<ResponseRecorded>] {
    Self.newest(Array(responses.values)) { $0.subject.scope }
  }

  /// The newest facts of each scope and replica.
  private static func newest<Content>(
    _ facts: [Fact<Content>], scope: (Content) -> [UInt8]
  ) -> [Fact<Content>] {
    let scopes = Dictionary(grouping: facts) { scope($0.content) + $0.replica.bytes }
    return scopes.values.flatMap { facts in
      facts.sorted { ($0.event, $0.place) > ($1.event, $1.place) }.prefix(Retention.perSource)
    }
  }
}

extension ReceiptSubject {
  /// What distinguishes subjects, compared byte for byte.
  var bytes: [[UInt8]] {
    [notificationID.description, source, revision].map { Array($0.utf8) }
  }

  /// The key of the retention limit; sources are compared by their bytes.
  fileprivate var scope: [UInt8] {
    switch self {
    case .occurrence(let occurrence): [1] + occurrence.habit.bytes
    case .item(let source, _, _): [2] + Array(source.utf8)
    case .push: [3]
    }
  }
}
