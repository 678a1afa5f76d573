/// An event that records a habit as done on a date.
///
/// A grow-only set of (entry, event).
public struct EntryRecorded: Hashable, Sendable {
  /// The habit that was done.
  public var habit: HabitID
  /// The date for which the entry counts.
  public var date: CivilDate
  /// The kind of entry.
  public var kind: EntryKind
  /// The amount in thousandths, 0...10^12; 1000 means done once and is not written.
  public var value: Int64
  /// The moment at which it was done; nil if it is the event's own millisecond, which is not
  /// written.
  public var at: Instant?
  /// A note of at most 2,000 bytes.
  public var note: String?

  /// Creates a value from its parts.
  package init(
    habit: HabitID, date: CivilDate, kind: EntryKind = .mark, value: Int64 = 1000,
    at: Instant? = nil, note: String? = nil
  ) {
    self.habit = habit
    self.date = date
    self.kind = kind
    self.value = value
    self.at = at
    self.note = note
  }
}

extension EntryRecorded: DatedContent {
  package static let kind = Payload.Kind.entryRecorded
  package static let name = "entry.recorded"
  package static let isAppendable = true
  package static let merge = MergeRule.growOnlySet
  package static let blank = EntryRecorded(habit: .zero, date: .zero)

  package var payload: Payload { .entryRecorded(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.required(1, "habit", &habit)
    try visitor.required(2, "date", &date)
    try kind.visitFields(&visitor)
    try visitor.defaulted(7, "value", &value, 1000, 0...Amount.maxThousandths)
    try visitor.optional(8, "at", &at)
    try visitor.optional(9, "note", &note, 0...Limit.maxLongBytes)
  }

  package var erasureSubject: ErasureSubject { .habit(habit) }

  package func summary(_ words: some SummaryWords) -> String {
    "\(words.title(of: habit)) \(date)" + (value == 1000 ? "" : " +\(Amount(thousandths: value))")
  }
}

extension EntryKind {
  /// The names of the kinds of entries in JSON and protobuf.
  private enum Name: String, NamedFieldValue {
    case mark, occurrence, imported, amount

    static let names = numbered(from: 0)
  }

  private var name: Name {
    switch self {
    case .mark: .mark
    case .occurrence: .occurrence
    case .imported: .imported
    case .amount: .amount
    }
  }

  fileprivate mutating func visitFields(
    _ visitor: inout some FieldVisitor
  ) throws(ModelError) {
    var name = name
    try visitor.defaulted(3, "kind", &name, .mark)
    if name != .imported {
      try visitor.visit(
        ignored: Field(number: 6, name: "source", type: .text, presence: .optional, limit: nil))
    }
    switch name {
    case .mark: self = .mark
    case .amount: self = .amount
    case .occurrence:
      var (schedule, time) = (ScheduleID.zero, TimeOfDay.midnight)
      if case .occurrence(let knownSchedule, let knownTime) = self {
        (schedule, time) = (knownSchedule, knownTime)
      }
      try visitor.required(4, "schedule", &schedule)
      try visitor.defaulted(5, "time", &time, .midnight, isNamed: true)
      self = .occurrence(schedule: schedule, time: time)
    case .imported:
      var source = ""
      if case .imported(let known) = self { source = known }
      try visitor.required(6, "source", &source, 1...Limit.maxShortBytes)
      self = .imported(source: source)
    }
  }
}
