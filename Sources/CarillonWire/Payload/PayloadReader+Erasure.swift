internal import CarillonModel

/// What was erased.
extension PayloadReader {
  static func dataErased(_ bytes: Bytes) throws(ModelError) -> Erasure {
    var parts = ErasureParts()
    var (habit, receiptsOf, upTo) = (Bytes?.none, Bytes?.none, Bytes?.none)
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): habit = field.bytes
      case (2, .bytes): parts.source = try field.text("source")
      case (3, .bytes): receiptsOf = field.bytes
      case (4, .bytes): upTo = field.bytes
      default: break
      }
    }
    // What has no presence in the grammar is absent where it is empty.
    if let habit, !habit.isEmpty { parts.habit = try identifier(habit, "habit") }
    if parts.source == "" { parts.source = nil }
    if let receiptsOf, !receiptsOf.isEmpty {
      parts.receiptsOf = try identifier(receiptsOf, "receiptsOf")
    }
    if let upTo, !upTo.isEmpty { parts.upTo = try eventID(upTo, "upTo") }
    return try Erasure(parts)
  }
}

/// The fields of a `data.erased`, of which a scope is made.
struct ErasureParts {
  var habit: HabitID?
  var source: String?
  var receiptsOf: HabitID?
  var upTo: EventID?

  init() {}

  init(_ erasure: Erasure) {
    switch erasure.scope {
    case .habit(let habit): self.habit = habit
    case .items(let source, let last): (self.source, upTo) = (source, last)
    case .receipts(let habit, let last): (receiptsOf, upTo) = (habit, last)
    }
  }
}

extension Erasure {
  /// - Throws: `invalidValue` where not exactly one scope is named.
  init(_ parts: ErasureParts) throws(ModelError) {
    switch (parts.habit, parts.source, parts.receiptsOf) {
    case (let habit?, nil, nil):
      guard parts.upTo == nil else { throw .invalid("upTo", "a habit is erased whole") }
      self.init(.habit(habit))
    case (nil, let source?, nil): self.init(.items(source: source, upTo: parts.upTo))
    case (nil, nil, let habit?): self.init(.receipts(of: habit, upTo: parts.upTo))
    default: throw .invalid("scope", "exactly one of habit, source and receiptsOf is named")
    }
  }
}
