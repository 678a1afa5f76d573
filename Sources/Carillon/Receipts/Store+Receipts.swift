public import CarillonModel
import CarillonSQLite
import Foundation

/// The result of recording a receipt or a response.
public struct RecordedReceipt: Hashable, Sendable {
  /// The notification; for a repeating request, its latest occurrence.
  public let subject: ReceiptSubject
  /// All notifications for which it was recorded, the subject first.
  ///
  /// For a digest this is one reminder of each habit.
  package let subjects: [ReceiptSubject]
  /// What was written; empty if it was already recorded.
  public let written: Written
}

extension Store {
  /// Returns the latest state of notifications on all devices, including fetched items, most
  /// recently changed first.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of receipts; 1,000 by default.
  ///   - state: The state to select; nil selects all.
  /// - Complexity: O(receipts kept).
  public func receipts(limit: Int = 1_000, state: Receipt.State? = nil) async throws -> [Receipt] {
    try await query { try $0.receipts(limit: limit, state: state) }
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
  public func recordReceipt(_ state: ReceiptState, of id: String) async throws -> RecordedReceipt {
    try await writeReceipt(of: id, isActivity: state.isOfPerson) { context, shown in
      try context.receipts(state, of: shown)
    }
  }

  /// Records the person's response to a notification on this device, and carries it out.
  ///
  /// `done` records an entry that belongs to the occurrence, on its due date, so that taps on two
  /// devices count once. `skip` marks that date as skipped. `snooze` makes the occurrence fire
  /// again later. Any other action is only recorded, as is any action on a notification that is not
  /// an occurrence. If a notification covers reminders of several habits, each habit gets the
  /// response. Repeating the same response changes nothing.
  ///
  /// - Parameters:
  ///   - id: As for ``recordReceipt(_:of:)``.
  ///   - action: `done`, `skip`, `snooze`, `open`, or a custom name; 1 to 64 bytes.
  ///   - text: Text that the person entered; at most 2,000 bytes.
  ///   - duration: The duration of a snooze from now, from a minute to 365 days.
  /// - Throws: `notFound` as for ``recordReceipt(_:of:)``, `invalidValue`.
  @discardableResult
  public func respond(
    to id: String, action: String, text: String? = nil, snoozeFor duration: Duration = defaultSnooze
  ) async throws -> RecordedReceipt {
    try Self.requireSnooze(duration)
    return try await writeReceipt(of: id) { context, all in
      var payloads = try context.receipts(.acted, of: all)
      for shown in all.oneOfEachHabit {
        let response = ResponseRecorded(
          subject: shown.subject, revision: shown.revision, action: action, text: text)
        if try !context.reader.hasResponse(response, of: context.replica) {
          payloads.append(.responseRecorded(response))
          if action == "snooze" { payloads += try context.snooze(shown, for: duration) }
        }
        payloads += try context.effects(of: action, on: shown.subject)
      }
      return payloads
    }
  }

  /// Writes the payloads decided for a notification and for those that it also covers.
  private func writeReceipt(
    of id: String, isActivity: Bool = true,
    _ payloads: @escaping @Sendable (Context, [Notification]) throws -> [Payload]
  ) async throws -> RecordedReceipt {
    let meant = Locked<[ReceiptSubject]>([])
    let written = try await write(isActivity: isActivity) { context in
      let shown = try self.notifications(of: id, context)
      meant.set(shown.oneOfEachHabit.map(\.subject))
      return Decision(payloads: try payloads(context, shown), needsState: true)
    }
    guard let subject = meant.value.first else { preconditionFailure("nothing was decided") }
    return RecordedReceipt(subject: subject, subjects: meant.value, written: written)
  }
}

extension [Notification] {
  /// The first reminder of each habit, and every notification that is not a reminder.
  ///
  /// A habit gets one response, no matter how many of its reminders a notification covers.
  fileprivate var oneOfEachHabit: [Notification] {
    var habits: Set<HabitID> = []
    return filter { shown in
      guard case .occurrence(let habit, _, _) = shown.subject else { return true }
      return habits.insert(habit).inserted
    }
  }
}

extension ReceiptState {
  /// Whether only a person can cause this state.
  fileprivate var isOfPerson: Bool { [.dismissed, .opened, .acted].contains(self) }
}

extension Context {
  func receipts(limit: Int, state: Receipt.State?) throws -> [Receipt] {
    try reader.receipts(limit: limit, state: state, now: now).map { receipt in
      guard case .occurrence(let habit, let schedule, let nominal) = receipt.subject else {
        return receipt
      }
      var receipt = receipt
      let shown = Notification(subject: receipt.subject, revision: receipt.revision)
      receipt.number = try number(of: shown, habit, schedule, nominal)
      return receipt
    }
  }

  /// Returns the receipts of a state, without those that this replica has already recorded.
  fileprivate func receipts(_ state: ReceiptState, of all: [Notification]) throws -> [Payload] {
    try all.compactMap { shown in
      let receipt = ReceiptAdvanced(
        subject: shown.subject, revision: shown.revision, state: state)
      return try reader.hasReceipt(receipt, of: replica, by: now)
        ? nil : .receiptAdvanced(receipt)
    }
  }

  /// Returns the payloads that make an occurrence fire again later.
  fileprivate func snooze(_ shown: Notification, for duration: Duration) throws -> [Payload] {
    guard case .occurrence(let habit, let schedule, let nominal) = shown.subject else { return [] }
    let snooze = Snooze(
      schedule: schedule, nominal: nominal, number: try number(of: shown, habit, schedule, nominal),
      until: now.adding(snooze: duration))
    return [.snoozeSet(SnoozeSet(habit: habit, snooze: snooze))]
  }

  /// Returns the number of the repeat that was delivered, taken from its revision or from the
  /// snooze that the revision refers to.
  fileprivate func number(
    of shown: Notification, _ habit: HabitID, _ schedule: ScheduleID, _ nominal: CivilDateTime
  ) throws -> Int {
    if shown.revision == ReceiptSubject.firstRevision { return 0 }
    if let number = shown.revision.repeatNumber { return number }
    let held = try reader.snoozes(range: nominal.date...nominal.date)[habit] ?? []
    return held.first {
      $0.schedule == schedule && $0.nominal == nominal
        && $0.until.map { String($0.milliseconds) } == shown.revision
    }?.number ?? 0
  }

  /// Returns the due date of an occurrence.
  ///
  /// The nominal time of an interval schedule is in UTC; its due date is the logical date of that
  /// instant in the schedule's zone.
  private func due(
    _ nominal: CivilDateTime, _ schedule: ScheduleID, of habit: HabitID
  ) throws -> CivilDate {
    guard let own = try reader.habit(habit)?.schedules.first(where: { $0.id == schedule }),
      case .interval = own.rule
    else { return nominal.dueDate(dayStart: settings.dayStart) }
    var clock = zone
    if case .fixed(let name) = own.zone { clock = TimeZone(identifier: name) ?? zone }
    let minutes = Int64(nominal.date.rawValue) * 1_440 + Int64(nominal.time.minute)
    return LogicalDate.of(
      Instant(milliseconds: minutes * 60_000), in: clock, dayStart: settings.dayStart)
  }

  /// Returns the payloads by which an action changes the habit of an occurrence.
  fileprivate func effects(of action: String, on subject: ReceiptSubject) throws -> [Payload] {
    guard case .occurrence(let habit, let schedule, let nominal) = subject else { return [] }
    let due = try due(nominal, schedule, of: habit)
    switch action {
    case "done":
      let kind = EntryKind.occurrence(schedule: schedule, time: nominal.time)
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
