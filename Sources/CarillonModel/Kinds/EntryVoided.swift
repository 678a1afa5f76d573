/// An event that takes back recordings of entries.
///
/// Observed-remove: an entry exists as long as one of its recordings is not named by any void.
public struct EntryVoided: Hashable, Sendable {
  /// An entry and the recordings of it that the writer knew.
  public struct Item: Hashable, Sendable {
    /// The entry.
    public var entry: EntryID
    /// The recordings to take back; 1 to 100.
    package var recordings: [EventID]

    /// Creates a value from its parts.
    package init(entry: EntryID, recordings: [EventID]) {
      self.entry = entry
      self.recordings = recordings
    }
  }

  /// The entries; 1 to 100.
  public var items: [Item]
  /// The maximum number of entries, and of recordings of each.
  package static let maxCount = 100

  /// Creates a value from its parts.
  package init(items: [Item]) {
    self.items = items
  }
}

extension EntryVoided: EventContent {
  package static let kind = Payload.Kind.entryVoided
  package static let name = "entry.voided"
  package static let isAppendable = true
  package static let merge = MergeRule.observedRemove
  package static let blank = EntryVoided(items: [])

  package var payload: Payload { .entryVoided(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.groups(1, "entries", &items, count: 1...EntryVoided.maxCount)
  }

  package var erasureSubject: ErasureSubject { .none }

  package func summary(_ words: some SummaryWords) -> String {
    items.count == 1 ? "1 entry" : "\(items.count) entries"
  }
}

extension EntryVoided.Item: FieldGroup {
  package static let blank = EntryVoided.Item(entry: .zero, recordings: [])

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.required(1, "entry", &entry)
    try visitor.list(2, "recordings", &recordings, count: 1...EntryVoided.maxCount)
  }
}
