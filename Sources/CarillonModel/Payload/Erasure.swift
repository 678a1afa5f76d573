/// Takes payloads away for ever.
///
/// A grow set of events. It covers by content: what is written or arrives later too, on every
/// replica. Events keep their IDs and places, so that histories stay verifiable; projections are
/// made as if what is covered had never been said.
public struct Erasure: Hashable, Sendable {
  /// What is covered.
  public enum Scope: Hashable, Sendable {
    /// All that names the habit.
    case habit(HabitID)
    /// What was observed of a source, and its receipts and responses; only events up to an ID,
    /// where one is given.
    case items(source: String, upTo: EventID?)
    /// The receipts of a habit's occurrences, and the responses to them; only events up to an ID,
    /// where one is given.
    case receipts(of: HabitID, upTo: EventID?)
  }

  /// What is covered.
  public var scope: Scope

  /// Makes a value of its parts.
  public init(_ scope: Scope) {
    self.scope = scope
  }

  /// Whether an event is covered.
  ///
  /// No erasure is, and nothing that this build cannot read.
  ///
  /// - Complexity: O(1).
  public func covers(_ payload: Payload, of event: EventID) -> Bool {
    guard !event.timestamp.isBeyondClocks else { return false }
    switch scope {
    case .habit(let habit):
      return payload.habit == habit
    case .items(let source, let last):
      // Texts are told apart by their bytes, as rows do.
      guard let named = payload.itemSource, named.utf8.elementsEqual(source.utf8) else {
        return false
      }
      return last.map { event <= $0 } ?? true
    case .receipts(let habit, let last):
      guard payload.isReceipt, payload.habit == habit else { return false }
      return last.map { event <= $0 } ?? true
    }
  }

  func validate() throws(ModelError) {
    if case .items(let source, _) = scope { try Limit.text(source, 1...200, "source") }
  }
}

extension Payload {
  /// The habit that the payload names, where it names one.
  ///
  /// Entries that are voided are named by digests, which tell of no habit.
  package var habit: HabitID? {
    switch self {
    case .habitCreated(let fields), .habitEdited(let fields): fields.habit
    case .habitArchivedSet(let set): set.habit
    case .habitDeleted(let deleted): deleted.habit
    case .habitRestored(let restored): restored.habit
    case .slotSet(let set): set.habit
    case .slotRemoved(let removed): removed.habit
    case .entryRecorded(let recorded): recorded.habit
    case .dayMarked(let marked): marked.habit
    case .pauseSet(let pause): pause.habit
    case .snoozeSet(let set): set.habit
    case .receiptAdvanced(let receipt): receipt.subject.habit
    case .responseRecorded(let response): response.subject.habit
    case .entryVoided, .itemObserved, .planSubmitted, .appActive, .wakeFinished,
      .permissionChanged, .permissionAsked, .alertsSet, .pushTokenSet, .pushReceived,
      .deviceDescribed, .settingsSet, .importFinished, .dataErased, .branchesClosed,
      .unknown:
      nil
    }
  }

  /// The source of the items that the payload is of, where it is of some.
  package var itemSource: String? {
    switch self {
    case .itemObserved(let observed): observed.source
    case .receiptAdvanced(let receipt): receipt.subject.itemSource
    case .responseRecorded(let response): response.subject.itemSource
    default: nil
    }
  }

  /// Whether it is a receipt, or a response to a notification.
  package var isReceipt: Bool {
    switch self {
    case .receiptAdvanced, .responseRecorded: true
    default: false
    }
  }
}

extension ReceiptSubject {
  fileprivate var habit: HabitID? {
    if case .occurrence(let habit, _, _) = self { habit } else { nil }
  }

  fileprivate var itemSource: String? {
    if case .item(let source, _) = self { source } else { nil }
  }
}
