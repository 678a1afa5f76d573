extension ReceiptSubject: FieldChoice {
  package static let alternatives: [(number: Int, name: String, blank: ReceiptSubject)] = [
    (1, "occurrence", .occurrence(OccurrenceID(habit: .zero, schedule: .zero, nominal: .zero))),
    (2, "item", .item(source: "", item: "")),
    (3, "push", .push(id: "")),
  ]

  package var alternative: Int {
    switch self {
    case .occurrence: 1
    case .item: 2
    case .push: 3
    }
  }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    switch self {
    case .occurrence(var occurrence):
      try visitor.required(1, "habit", &occurrence.habit)
      try visitor.required(2, "schedule", &occurrence.schedule)
      try occurrence.nominal.visitFields(3, 4, &visitor)
      self = .occurrence(occurrence)
    case .item(var source, var item, let revision):
      try visitor.required(1, "source", &source, 1...Limit.maxShortBytes)
      try visitor.required(2, "item", &item, 1...256)
      self = .item(source: source, item: item, revision: revision)
    case .push(var id, let revision):
      try visitor.required(1, "push", &id, 1...64)
      self = .push(id: id, revision: revision)
    }
  }

  var erasureSubject: ErasureSubject {
    switch self {
    case .occurrence(let occurrence): .receipt(of: occurrence.habit)
    case .item(let source, _, _): .source(source)
    case .push: .none
    }
  }

  /// Returns a short text such as `Walk 2026-11-23T17:00` or `github 203134625`.
  package func name(_ words: some SummaryWords) -> String {
    switch self {
    case .occurrence(let occurrence):
      "\(words.title(of: occurrence.habit)) "
        + words.local(occurrence.nominal, of: occurrence.schedule).description
    case .item(let source, let item, _): "\(source) \(item)"
    case .push(let id, _): id
    }
  }
}
