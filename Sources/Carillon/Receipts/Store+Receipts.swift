public import CarillonModel
import CarillonSQLite

/// What a receipt or an answer was recorded of, and what was written.
public struct RecordedReceipt: Hashable, Sendable {
  /// The notification; of a repeating request the occurrence that was meant.
  public let subject: ReceiptSubject
  /// What was written; empty where it was recorded before.
  public let written: Written
}

extension Store {
  /// What became of notifications on all devices, fetched items among them, the latest change
  /// first.
  ///
  /// - Parameters:
  ///   - limit: The most receipts; 1,000 by default.
  ///   - state: Only those of a state; nil is all.
  /// - Complexity: O(receipts kept).
  public func receipts(limit: Int = 1_000, state: Receipt.State? = nil) async throws -> [Receipt] {
    try await read { try $0.reader.receipts(limit: limit, state: state, now: $0.now) }
  }

  /// Records that a notification came to a state on this device.
  ///
  /// Recorded once: the same again changes nothing. All but `submitted`, `delivered` and `expired`
  /// tell that the person used the app.
  ///
  /// - Parameters:
  ///   - state: How far it came.
  ///   - id: A request's id, a fetched item's or a push's. A repeating request means its latest
  ///     occurrence at or before now.
  /// - Throws: `notFound` for an id of nothing that is known, or of a repeating request that has
  ///   not rung since its slot was set and its habit began.
  @discardableResult
  public func recordReceipt(_ state: ReceiptState, of id: String) async throws -> RecordedReceipt {
    try await writeReceipt(of: id, isActivity: state.isOfPerson) { context, shown in
      try context.receipt(state, of: shown).map { [$0] } ?? []
    }
  }

  /// Records what the person answered to a notification on this device, and does it.
  ///
  /// `done` records the occurrence's own entry on its due date, so that two devices' taps are one;
  /// `skip` marks that date. Any other action is only recorded, and so is each of something that is
  /// no occurrence. The same answer again changes nothing.
  ///
  /// - Parameters:
  ///   - id: As of ``recordReceipt(_:of:)``.
  ///   - action: `done`, `skip`, `snooze`, `open`, or a name of the app's own; 1 to 64 bytes.
  ///   - text: What the person wrote; at most 2,000 bytes.
  /// - Throws: `notFound` as of ``recordReceipt(_:of:)``, `invalidValue`.
  @discardableResult
  public func respond(
    to id: String, action: String, text: String? = nil
  ) async throws -> RecordedReceipt {
    try await writeReceipt(of: id) { context, shown in
      let response = ResponseRecorded(
        subject: shown.subject, revision: shown.revision, action: action, text: text)
      var payloads = [try context.receipt(.acted, of: shown)].compactMap(\.self)
      if try !context.reader.hasResponse(response, of: context.replica) {
        payloads.append(.responseRecorded(response))
      }
      return payloads + (try context.effects(of: action, on: shown.subject))
    }
  }

  private func writeReceipt(
    of id: String, isActivity: Bool = true,
    _ payloads: @escaping @Sendable (Context, Notification) throws -> [Payload]
  ) async throws -> RecordedReceipt {
    let latest = Locked<ReceiptSubject?>(nil)
    let written = try await write(isActivity: isActivity) { context in
      let shown = try self.notification(id, context)
      latest.set(shown.subject)
      return Decision(payloads: try payloads(context, shown), needsState: true)
    }
    guard let subject = latest.value else { preconditionFailure("nothing was decided") }
    return RecordedReceipt(subject: subject, written: written)
  }
}

extension ReceiptState {
  /// Whether only a person brings it about.
  fileprivate var isOfPerson: Bool { [.dismissed, .opened, .acted].contains(self) }
}

extension Context {
  /// The receipt of a state, unless this replica has recorded it.
  fileprivate func receipt(
    _ state: ReceiptState, of shown: Notification
  ) throws -> Payload? {
    let receipt = ReceiptAdvanced(
      subject: shown.subject, revision: shown.revision, state: state)
    return try reader.hasReceipt(receipt, of: replica) ? nil : .receiptAdvanced(receipt)
  }

  /// What an action does to the habit of an occurrence.
  fileprivate func effects(of action: String, on subject: ReceiptSubject) throws -> [Payload] {
    guard case .occurrence(let habit, let slot, let nominal) = subject else { return [] }
    let due = nominal.dueDate(dayStart: settings.dayStart)
    switch action {
    case "done":
      let kind = EntryKind.occurrence(slot: slot, time: nominal.time)
      let entry = kind.entryID(habit: habit, date: due, event: EventID(words: (0, 0, 0, 0)))
      if try reader.entries(of: habit, on: due).contains(where: { $0.id == entry }) { return [] }
      return [.entryRecorded(EntryRecorded(habit: habit, date: due, kind: kind))]
    case "skip":
      guard try reader.mark(of: habit, on: due) != .skip else { return [] }
      return [.dayMarked(DayMarked(habit: habit, first: due, last: due, mark: .skip))]
    default: return []
    }
  }
}
