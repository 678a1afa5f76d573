import ArgumentParser
import Carillon
import CarillonDocuments

/// `carillon receipt`: records what happened to a notification on this device.
struct ReceiptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receipt", abstract: "Record what happened to a notification on this device.",
    discussion: """
      A digest combines reminders of several habits. A receipt or an action for it is recorded for \
      each of them. With --json, "covers" then lists one reminder of each habit.
      """,
    subcommands: [
      ReceiptDeliveredCommand.self, ReceiptOpenedCommand.self, ReceiptDismissedCommand.self,
      ReceiptActedCommand.self,
    ])
}

/// The ID of a notification.
struct NotificationArgument: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "The notification's ID, as pending, ingest or receive printed it.", valueName: "id"))
  var text: String

  /// The parsed ID.
  var id: NotificationID { NotificationID(text) }
}

/// `carillon receipt delivered`.
struct ReceiptDeliveredCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "delivered", abstract: "Record that the system delivered a notification.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var notification: NotificationArgument

  func run(_ call: Call) async throws {
    try await call.record(.delivered, of: notification)
  }
}

/// `carillon receipt opened`.
struct ReceiptOpenedCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "opened", abstract: "Record that the person opened the app from a notification.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var notification: NotificationArgument

  func run(_ call: Call) async throws {
    try await call.record(.opened, of: notification)
  }
}

/// `carillon receipt dismissed`.
struct ReceiptDismissedCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "dismissed", abstract: "Record that the person dismissed a notification.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var notification: NotificationArgument

  func run(_ call: Call) async throws {
    try await call.record(.dismissed, of: notification)
  }
}

/// `carillon receipt acted`.
struct ReceiptActedCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "acted", abstract: "Record that the person chose an action of a notification.",
    discussion: """
      For a reminder, the actions done, skip and snooze do what the commands of the same names do, \
      and done and skip apply to the reminder's date. Other actions are only recorded.
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var notification: NotificationArgument

  @Option(
    help: ArgumentHelp(
      "The action: done, skip, snooze, open, or one of the app's own.", valueName: "name"))
  var action: String

  @Option(help: ArgumentHelp("The text that the person entered.")) var text: String?

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp(
      "With --action snooze, the time from now, 1m to 365d (default: 15m).", valueName: "15m"))
  var duration: Given<DurationText>?

  func run(_ call: Call) async throws {
    let action = ResponseAction(action)
    guard duration == nil || action == .snooze else {
      throw CommandFailure.usage("--for requires --action snooze", hint: "leave out --for")
    }
    let duration =
      try duration?.duration(for: "--for", in: DurationText.minuteToYear, such: "15m").duration
      ?? Store.defaultSnooze
    try await call.withStore { store in
      let recorded = try await store.respond(
        to: notification.id, action: action, text: text, snoozeFor: duration)
      let warnings = action == .done ? try await call.future(recorded.subjects, in: store) : []
      try await call.confirm(recorded, of: notification, in: store, warnings: warnings) { name in
        let kinds = Set(recorded.written.events.map(\.kind))
        guard !kinds.isDisjoint(with: Self.answers) else {
          return "Already answered: \(action), \(name)."
        }
        return switch (action, recorded.subject) {
        case (.done, .occurrence): "Done: \(name)."
        case (.skip, .occurrence): "Skipped: \(name)."
        case (.snooze, .occurrence) where kinds.contains(.snoozeSet): "Snoozed: \(name)."
        default: "Answered: \(action), \(name)."
        }
      }
    }
  }

  private static let answers: Set<Payload.Kind> = [
    .responseRecorded, .entryRecorded, .dayMarked,
  ]
}

extension Call {
  fileprivate func record(
    _ state: ReceiptState, of notification: NotificationArgument
  ) async throws {
    try await withStore { store in
      let recorded = try await store.recordReceipt(state, of: notification.id)
      try await confirm(recorded, of: notification, in: store) { name in
        recorded.written.events.contains { $0.kind == .receiptAdvanced }
          ? "Recorded: \(state.rawValue), \(name)." : "Already \(state.rawValue): \(name)."
      }
    }
  }

  /// Warns about reminders that are due after today.
  fileprivate func future(
    _ subjects: [ReceiptSubject], in store: Store
  ) async throws -> [String] {
    let titles = try await HabitTitles(store)
    let (dayStart, today) = (try await store.settings().dayStart, try await store.today())
    let dates = subjects.compactMap { subject -> CivilDate? in
      guard case .occurrence(let occurrence) = titles.local(subject, output.time) else {
        return nil
      }
      return occurrence.nominal.dueDate(dayStart: dayStart)
    }
    let ahead = Set(dates).filter { $0 > today }.sorted()
    let warnings = ahead.map { "\(output.time.text($0)) is in the future" }
    output.warn(warnings)
    return warnings
  }

  /// Prints what was recorded, and for which notification.
  fileprivate func confirm(
    _ recorded: RecordedReceipt, of notification: NotificationArgument, in store: Store,
    warnings: [String] = [], text: (_ name: String) -> String
  ) async throws {
    let titles = try await HabitTitles(store)
    let ids = recorded.json(key: notification.text)
    let names = recorded.subjects.map { titles.name($0, output.time) }.joined(separator: ", ")
    try output.confirm(recorded.written, ids.merging(warnings: warnings)) { text(names) }
  }
}
