public import CarillonModel
import CarillonSQLite
import Foundation

/// What a receipt or an answer was recorded of, and what was written.
public struct RecordedReceipt: Hashable, Sendable {
  /// The notification; of a repeating request the occurrence that was meant.
  public let subject: ReceiptSubject
  /// All that it was recorded of, by habit: of a digest one reminder of each, the subject first.
  public let subjects: [ReceiptSubject]
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
    try await read { context in
      try context.reader.receipts(limit: limit, state: state, now: context.now).map { receipt in
        guard case .occurrence(let habit, let schedule, let nominal) = receipt.subject else {
          return receipt
        }
        var receipt = receipt
        let shown = Notification(subject: receipt.subject, revision: receipt.revision)
        receipt.number = try context.number(of: shown, habit, schedule, nominal)
        return receipt
      }
    }
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
  ///   not rung since its schedule was set and its habit began.
  @discardableResult
  public func recordReceipt(_ state: ReceiptState, of id: String) async throws -> RecordedReceipt {
    try await writeReceipt(of: id, isActivity: state.isOfPerson) { context, shown in
      try context.receipts(state, of: shown)
    }
  }

  /// Records what the person answered to a notification on this device, and does it.
  ///
  /// `done` records the occurrence's own entry on its due date, so that two devices' taps are one;
  /// `skip` marks that date; `snooze` lets the occurrence fire again. Any other action is only
  /// recorded, and so is each of something that is no occurrence. What stands for reminders of
  /// several habits is answered for each of them. The same answer again changes nothing.
  ///
  /// - Parameters:
  ///   - id: As of ``recordReceipt(_:of:)``.
  ///   - action: `done`, `skip`, `snooze`, `open`, or a name of the app's own; 1 to 64 bytes.
  ///   - text: What the person wrote; at most 2,000 bytes.
  ///   - seconds: For how long `snooze` does, from now on; 60...31,536,000.
  /// - Throws: `notFound` as of ``recordReceipt(_:of:)``, `invalidValue`.
  @discardableResult
  public func respond(
    to id: String, action: String, text: String? = nil, snoozeFor seconds: Int = snoozeSeconds
  ) async throws -> RecordedReceipt {
    try Self.requireSnooze(seconds)
    return try await writeReceipt(of: id) { context, all in
      var payloads = try context.receipts(.acted, of: all)
      for shown in all.oneOfEachHabit {
        let response = ResponseRecorded(
          subject: shown.subject, revision: shown.revision, action: action, text: text)
        if try !context.reader.hasResponse(response, of: context.replica) {
          payloads.append(.responseRecorded(response))
          if action == "snooze" { payloads += try context.snooze(shown, for: seconds) }
        }
        payloads += try context.effects(of: action, on: shown.subject)
      }
      return payloads
    }
  }

  /// Writes what is decided of a notification and those for which it stands, which come behind it.
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
  /// The first of each habit, and all that are no reminders: one answer is given for a habit,
  /// however many of its reminders one notification stands for.
  fileprivate var oneOfEachHabit: [Notification] {
    var habits: Set<HabitID> = []
    return filter { shown in
      guard case .occurrence(let habit, _, _) = shown.subject else { return true }
      return habits.insert(habit).inserted
    }
  }
}

extension ReceiptState {
  /// Whether only a person brings it about.
  fileprivate var isOfPerson: Bool { [.dismissed, .opened, .acted].contains(self) }
}

extension Context {
  /// The receipts of a state, but those that this replica has recorded.
  fileprivate func receipts(_ state: ReceiptState, of all: [Notification]) throws -> [Payload] {
    try all.compactMap { shown in
      let receipt = ReceiptAdvanced(
        subject: shown.subject, revision: shown.revision, state: state)
      return try reader.hasReceipt(receipt, of: replica, by: now)
        ? nil : .receiptAdvanced(receipt)
    }
  }

  /// What lets an occurrence fire again.
  fileprivate func snooze(_ shown: Notification, for seconds: Int) throws -> [Payload] {
    guard case .occurrence(let habit, let schedule, let nominal) = shown.subject else { return [] }
    let snooze = Snooze(
      schedule: schedule, nominal: nominal, number: try number(of: shown, habit, schedule, nominal),
      until: now.adding(snooze: seconds))
    return [.snoozeSet(SnoozeSet(habit: habit, snooze: snooze))]
  }

  /// The number of the repeat that was shown: by its revision, or by the snooze that it names.
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

  /// The date for which an occurrence counts: of an interval, which UTC names, the logical date of
  /// its instant by the schedule's clock.
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

  /// What an action does to the habit of an occurrence.
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
