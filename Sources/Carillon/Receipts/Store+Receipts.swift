public import CarillonModel
import CarillonSQLite
import Foundation

/// The result of recording a receipt or a response.
public struct RecordedReceipt: Hashable, Sendable {
  /// The notification; for a repeating request, its latest occurrence.
  package let subject: ReceiptSubject
  /// The notifications for which it was recorded, the subject first.
  ///
  /// For a digest this is one reminder of each habit.
  package let subjects: [ReceiptSubject]
  /// What was written; empty if it was already recorded.
  public let written: Written
}

extension Store {
  /// Returns the latest state of notifications on all devices, including fetched items, by the
  /// times at which they fire or fired, the latest first.
  ///
  /// An item, and a notification that no time is recorded for, has the time of its state.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of receipts; 1,000 by default.
  ///   - state: The state to select; nil selects all.
  /// - Complexity: O(receipts since the last one that is returned).
  public func receipts(limit: Int = 1_000, state: Receipt.State? = nil) async throws(StoreError)
    -> [Receipt]
  {
    try await query { try $0.receipts(limit: limit, state: state) }
  }

  /// Returns the latest receipts in some states, in the order of ``receipts(limit:state:)``.
  package func receipts(limit: Int, in states: Set<Receipt.State>) async throws -> [Receipt] {
    try await read { try $0.receipts(limit: limit, in: states) }
  }

  /// Records that a notification reached a state on this device.
  ///
  /// Each state is recorded once; repeating the call changes nothing. Any state except `submitted`,
  /// `delivered` and `expired` also counts as app activity.
  ///
  /// - Parameters:
  ///   - state: The state reached.
  ///   - id: The ID of a request, a fetched item or a push. The ID of a repeating request means its
  ///     latest occurrence at or before now.
  /// - Throws: `notFound` if the ID is unknown, or is that of a repeating request that has not
  ///   fired since its schedule was set and its habit began.
  @discardableResult
  public func recordReceipt(
    _ state: ReceiptState, of id: NotificationID
  ) async throws(StoreError) -> RecordedReceipt {
    try await writeReceipt(of: id, isActivity: state.isOfPerson) { context, subjects in
      try context.receipts(state, of: subjects)
    }
  }

  /// Records the person's response to a notification on this device, and carries it out.
  ///
  /// `done` records an entry that belongs to the occurrence, on its due date, so that taps on two
  /// devices count once. `skip` marks that date as skipped. `snooze` makes the occurrence fire
  /// again later. Any other action is only recorded, as is any action on a notification that is not
  /// an occurrence. If a notification represents reminders of several habits, each habit gets the
  /// response. Repeating the same response changes nothing.
  ///
  /// - Parameters:
  ///   - id: As for ``recordReceipt(_:of:)``.
  ///   - action: What the person chose.
  ///   - text: Text that the person entered; at most 2,000 bytes.
  ///   - duration: The duration of a snooze from now, from a minute to 365 days.
  /// - Throws: `notFound` as for ``recordReceipt(_:of:)``, `invalidValue`.
  @discardableResult
  public func respond(
    to id: NotificationID, action: ResponseAction, text: String? = nil,
    snoozeFor duration: Duration = .seconds(900)
  ) async throws(StoreError) -> RecordedReceipt {
    try Self.requireSnooze(duration)
    return try await writeReceipt(of: id) { context, all in
      var payloads = try context.receipts(.acted, of: all)
      for subject in all.oneOfEachHabit {
        let response = ResponseRecorded(subject: subject, action: action, text: text)
        if try !context.reader.hasResponse(response, of: context.replica) {
          payloads.append(.responseRecorded(response))
          if action == .snooze { payloads += try context.snooze(subject, for: duration) }
        }
        payloads += try context.effects(of: action, on: subject)
      }
      return payloads
    }
  }

  /// Writes the payloads decided for a notification and for the others that it represents.
  private func writeReceipt(
    of id: NotificationID, isActivity: Bool = true,
    _ payloads: @escaping @Sendable (Context, [ReceiptSubject]) throws -> [Payload]
  ) async throws(StoreError) -> RecordedReceipt {
    let meant = Locked<[ReceiptSubject]>([])
    let written = try await write(isActivity: isActivity) { context in
      let subjects = try self.subjects(of: id, context)
      meant.set(subjects.oneOfEachHabit)
      return Decision(payloads: try payloads(context, subjects), needsState: true)
    }
    guard let subject = meant.value.first else { preconditionFailure("nothing was decided") }
    return RecordedReceipt(subject: subject, subjects: meant.value, written: written)
  }
}

extension [ReceiptSubject] {
  /// The first reminder of each habit, and every notification that is not a reminder.
  ///
  /// A habit gets one response, no matter how many of its reminders a notification represents.
  fileprivate var oneOfEachHabit: [ReceiptSubject] {
    var habits: Set<HabitID> = []
    return filter { subject in
      guard case .occurrence(let occurrence) = subject else { return true }
      return habits.insert(occurrence.habit).inserted
    }
  }
}

extension ReceiptState {
  /// Whether only a person can cause this state.
  fileprivate var isOfPerson: Bool { [.dismissed, .opened, .acted].contains(self) }
}

extension Context {
  func receipts(limit: Int, in states: Set<Receipt.State>) throws -> [Receipt] {
    try reader.receipts(limit: limit, in: states, now: now).map { receipt in
      guard case .occurrence(let occurrence) = receipt.subject else { return receipt }
      var receipt = receipt
      receipt.number = try number(of: occurrence)
      return receipt
    }
  }

  /// Returns the receipts of a state, without those that this replica has already recorded.
  fileprivate func receipts(
    _ state: ReceiptState, of subjects: [ReceiptSubject]
  ) throws -> [Payload] {
    try subjects.compactMap { subject in
      let receipt = ReceiptAdvanced(subject: subject, state: state)
      return try reader.hasReceipt(receipt, of: replica, by: now)
        ? nil : .receiptAdvanced(receipt)
    }
  }

  /// Returns the payloads that make an occurrence fire again later.
  fileprivate func snooze(_ subject: ReceiptSubject, for duration: Duration) throws -> [Payload] {
    guard case .occurrence(let occurrence) = subject else { return [] }
    let snooze = Snooze(
      schedule: occurrence.schedule, nominal: occurrence.nominal,
      number: try number(of: occurrence), until: now.adding(snooze: duration))
    return [.snoozeSet(SnoozeSet(habit: occurrence.habit, snooze: snooze))]
  }

  /// Returns the number of the repeat that was delivered, taken from its revision or from the
  /// snooze that the revision refers to.
  fileprivate func number(of occurrence: OccurrenceID) throws -> Int {
    switch occurrence.revision {
    case .first, .unknown: return 0
    case .repeat(let number): return number
    case .snoozed(let until):
      let date = occurrence.nominal.date
      let held = try reader.snoozes(range: date...date)[occurrence.habit] ?? []
      return held.first {
        $0.schedule == occurrence.schedule && $0.nominal == occurrence.nominal && $0.until == until
      }?.number ?? 0
    }
  }

  /// Returns the due date of an occurrence.
  ///
  /// The nominal time of an interval schedule is in UTC; its due date is the logical date of that
  /// instant in the schedule's zone.
  private func due(_ occurrence: OccurrenceID) throws -> CivilDate {
    let nominal = occurrence.nominal
    guard
      let own = try reader.habit(occurrence.habit)?.schedules.first(where: {
        $0.id == occurrence.schedule
      }),
      case .interval = own.rule
    else { return nominal.dueDate(dayStart: settings.dayStart) }
    var clock = zone
    if case .fixed(let name) = own.zone { clock = TimeZone(identifier: name) ?? zone }
    let minutes = Int64(nominal.date.rawValue) * 1_440 + Int64(nominal.time.minute)
    return LogicalDate.of(
      Instant(milliseconds: minutes * 60_000), in: clock, dayStart: settings.dayStart)
  }

  /// Returns the payloads by which an action changes the habit of an occurrence.
  fileprivate func effects(of action: ResponseAction, on subject: ReceiptSubject) throws
    -> [Payload]
  {
    guard case .occurrence(let occurrence) = subject else { return [] }
    let (habit, due) = (occurrence.habit, try due(occurrence))
    switch action {
    case .done:
      let kind = EntryKind.occurrence(
        schedule: occurrence.schedule, time: occurrence.nominal.time)
      let entry = kind.entryID(habit: habit, date: due, event: EventID(words: (0, 0, 0, 0)))
      if try reader.entries(of: habit, on: due).contains(where: { $0.id == entry }) { return [] }
      return [.entryRecorded(EntryRecorded(habit: habit, date: due, kind: kind))]
    case .skip:
      if let own = try reader.habit(habit), try isDone(own, on: due) { return [] }
      guard try reader.mark(of: habit, on: due) != .skip else { return [] }
      return [.dayMarked(DayMarked(habit: habit, first: due, last: due, mark: .skip))]
    case .open, .snooze, .dismiss, .custom: return []
    }
  }
}
