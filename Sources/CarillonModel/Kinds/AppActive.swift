/// An event that records the use of the app.
///
/// A max register: the latest date counts.
public struct AppActive: Hashable, Sendable {
  /// The logical date of use.
  package var date: CivilDate

  /// Creates a value from its parts.
  package init(date: CivilDate) {
    self.date = date
  }
}

extension AppActive: EventContent {
  package static let kind = Payload.Kind.appActive
  package static let name = "app.active"
  package static let isAppendable = true
  package static let merge = MergeRule.maxRegister
  package static let blank = AppActive(date: .zero)

  package var payload: Payload { .appActive(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.required(1, "date", &date)
  }

  package var erasureSubject: ErasureSubject { .none }

  package func summary(_ words: some SummaryWords) -> String {
    date.description
  }
}
