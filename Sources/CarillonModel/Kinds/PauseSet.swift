extension Pause: EventContent {
  package static let kind = Payload.Kind.pauseSet
  package static let name = "pause.set"
  package static let isAppendable = true
  package static let merge = MergeRule.lwwRegister
  package static let blank = Pause(id: .zero, habit: nil, first: .zero, last: nil)

  package var payload: Payload { .pauseSet(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    var id = id
    try visitor.required(1, "pause", &id)
    self = Pause(id: id, habit: habit, first: first, last: last)
    try visitor.optional(2, "habit", &habit)
    try visitor.required(3, "from", &first)
    try visitor.optional(4, "to", &last)
  }

  package var erasureSubject: ErasureSubject { habit.map(ErasureSubject.habit) ?? .none }

  package func summary(_ words: some SummaryWords) -> String {
    let paused = habit.map(words.title) ?? "all habits"
    // To resume is to set the last date to yesterday.
    if let last, last < words.writtenOn { return "\(paused) resumed, paused until \(last)" }
    return "\(paused) from \(first)" + (last.map { " to \($0)" } ?? "")
  }
}
