/// An event that records items fetched from a source, so that they are not delivered again.
///
/// A grow-only set of (event, index of the item); projections keep the newest 1,000 per source and
/// replica.
public struct ItemObserved: Hashable, Sendable {
  /// An item in one revision.
  package struct Item: Hashable, Sendable {
    /// The item's ID at its source; 1 to 256 bytes.
    package var item: String
    /// A text that changes when the item changes; 1 to 256 bytes.
    package var revision: String
    /// The item's title; at most 200 bytes.
    package var title: String?

    /// Creates a value from its parts.
    package init(
      item: String, revision: String = ReceiptSubject.firstRevision, title: String? = nil
    ) {
      self.item = item
      self.revision = revision
      self.title = title
    }
  }

  /// The name of the source; 1 to 200 bytes.
  package var source: String
  /// The items, in the order of fetching; 1 to 500.
  package var items: [Item]

  /// Creates a value from its parts.
  package init(source: String, items: [Item]) {
    self.source = source
    self.items = items
  }

  /// The maximum number of items in one event.
  package static let maxItems = 500
}

extension ItemObserved: EventContent {
  package static let kind = Payload.Kind.itemObserved
  package static let name = "item.observed"
  package static let merge = MergeRule.growOnlySet
  package static let blank = ItemObserved(source: "", items: [])

  package var payload: Payload { .itemObserved(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.required(1, "source", &source, 1...Limit.maxShortBytes)
    try visitor.groups(2, "items", &items, count: 1...Self.maxItems)
  }

  package var erasureSubject: ErasureSubject { .source(source) }

  package func summary(_ words: some SummaryWords) -> String {
    "\(source), \(items.count) \(items.count == 1 ? "item" : "items")"
  }
}

extension ItemObserved.Item: FieldGroup {
  package static let blank = ItemObserved.Item(item: "")

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.required(1, "item", &item, 1...256)
    try visitor.defaulted(2, "revision", &revision, ReceiptSubject.firstRevision, 1...256)
    try visitor.optional(3, "title", &title, 0...Limit.maxShortBytes)
  }
}
