/// Takes recordings of entries back.
///
/// Removal by name: an entry lives while one recording of it is not named by any void.
public struct EntryVoided: Hashable, Sendable {
  /// One entry and the recordings of it that the writer saw.
  public struct Item: Hashable, Sendable {
    /// The entry.
    public var entry: EntryID
    /// 1 to 100.
    public var recordings: [EventID]

    /// Makes a value of its parts.
    public init(entry: EntryID, recordings: [EventID]) {
      self.entry = entry
      self.recordings = recordings
    }
  }

  /// 1 to 100.
  public var items: [Item]

  /// Makes a value of its parts.
  public init(items: [Item]) {
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
    try visitor.groups(1, "entries", &items, count: 1...100)
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
    try visitor.list(2, "recordings", &recordings, count: 1...100)
  }
}
