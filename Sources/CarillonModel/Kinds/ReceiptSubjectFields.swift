extension ReceiptSubject: FieldChoice {
  package static let alternatives: [(number: Int, name: String, blank: ReceiptSubject)] = [
    (1, "occurrence", .occurrence(habit: .zero, schedule: .zero, nominal: .zero)),
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
    case .occurrence(var habit, var schedule, var nominal):
      try visitor.required(1, "habit", &habit)
      try visitor.required(2, "schedule", &schedule)
      try nominal.visitFields(3, 4, &visitor)
      self = .occurrence(habit: habit, schedule: schedule, nominal: nominal)
    case .item(var source, var item):
      try visitor.required(1, "source", &source, 1...200)
      try visitor.required(2, "item", &item, 1...256)
      self = .item(source: source, item: item)
    case .push(var id):
      try visitor.required(1, "push", &id, 1...64)
      self = .push(id: id)
    }
  }

  var erasureSubject: ErasureSubject {
    switch self {
    case .occurrence(let habit, _, _): .receipt(of: habit)
    case .item(let source, _): .source(source)
    case .push: .none
    }
  }

  /// Returns a short text such as `Walk 2026-11-23T17:00` or `github 203134625`.
  package func name(_ words: some SummaryWords) -> String {
    switch self {
    case .occurrence(let habit, _, let nominal): "\(words.title(of: habit)) \(nominal)"
    case .item(let source, let item): "\(source) \(item)"
    case .push(let id): id
    }
  }
}
