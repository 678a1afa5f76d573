import ArgumentParser
import Carillon

/// `carillon receipt`: what became of a notification on this device.
struct ReceiptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receipt", abstract: "Record what became of a notification on this device.",
    discussion: """
      A digest stands for reminders of several habits: what is recorded of it is recorded of each, \
      and an answer is given for each. "covers" of --json names one reminder of each then.
      """,
    subcommands: [
      ReceiptDeliveredCommand.self, ReceiptOpenedCommand.self, ReceiptDismissedCommand.self,
      ReceiptActedCommand.self,
    ])
}

/// The id of a notification.
struct NotificationArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("Its id, as pending, ingest or receive printed it."))
  var id: String
}

/// `carillon receipt delivered`.
struct ReceiptDeliveredCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "delivered", abstract: "The system showed it.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var notification: NotificationArgument

  func run(_ call: Call) async throws {
    try await call.record(.delivered, of: notification)
  }
}

/// `carillon receipt opened`.
struct ReceiptOpenedCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "opened", abstract: "The person opened the app with it.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var notification: NotificationArgument

  func run(_ call: Call) async throws {
    try await call.record(.opened, of: notification)
  }
}

/// `carillon receipt dismissed`.
struct ReceiptDismissedCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "dismissed", abstract: "The person put it away.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var notification: NotificationArgument

  func run(_ call: Call) async throws {
    try await call.record(.dismissed, of: notification)
  }
}

/// `carillon receipt acted`.
struct ReceiptActedCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "acted", abstract: "The person answered it with an action.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var notification: NotificationArgument

  @Option(
    help: ArgumentHelp(
      "done, skip, snooze, open, or a name of the app's own; done and skip count for the due date.",
      valueName: "name"))
  var action: String

  @Option(help: ArgumentHelp("What the person wrote.")) var text: String?

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("For how long snooze does, from now on; 15m by default.", valueName: "15m"))
  var duration: Given<DurationText>?

  func run(_ call: Call) async throws {
    guard duration == nil || action == "snooze" else {
      throw CommandFailure.usage("--for goes with --action snooze", hint: "leave --for out")
    }
    let seconds = try duration.value(for: "--for")?.seconds ?? Store.snoozeSeconds
    try await call.withStore { store in
      let recorded = try await store.respond(
        to: notification.id, action: action, text: text, snoozeFor: seconds)
      try await call.confirm(recorded, of: notification, in: store) { name in
        let kinds = Set(recorded.written.events.map(\.kind))
        guard !kinds.isDisjoint(with: Self.answers) else {
          return "It was answered so already: \(name)."
        }
        return switch (action, recorded.subject) {
        case ("done", .occurrence): "Done: \(name)."
        case ("skip", .occurrence): "Skipped: \(name)."
        case ("snooze", .occurrence) where kinds.contains(.snoozeSet): "Snoozed: \(name)."
        default: "Answered: \(action), \(name)."
        }
      }
    }
  }

  private static let answers: Set<Payload.Kind> = [
    .responseRecorded, .entryRecorded, .dayMarked,
  ]
}

extension ReceiptSubject {
  /// `{habit,schedule,nominal}` of a reminder.
  fileprivate var json: JSON {
    guard case .occurrence(let habit, let schedule, let nominal) = self else {
      return ["key": .text(key)]
    }
    return [
      "habit": .text(habit.description), "schedule": .text(schedule.description),
      "nominal": .text(nominal.description),
    ]
  }
}

extension Call {
  fileprivate func record(
    _ state: ReceiptState, of notification: NotificationArgument
  ) async throws {
    try await withStore { store in
      let recorded = try await store.recordReceipt(state, of: notification.id)
      try await confirm(recorded, of: notification, in: store) { name in
        recorded.written.events.contains { $0.kind == .receiptAdvanced }
          ? "Recorded: \(state.rawValue), \(name)." : "It was \(state.rawValue) already: \(name)."
      }
    }
  }

  /// Prints what was recorded, and of what.
  fileprivate func confirm(
    _ recorded: RecordedReceipt, of notification: NotificationArgument, in store: Store,
    text: (_ name: String) -> String
  ) async throws {
    let titles = try await HabitTitles(store)
    var ids: JSON = ["key": .text(notification.id)]
    if case .occurrence(_, _, let nominal) = recorded.subject {
      ids = ids.merging(["nominal": .text(nominal.description)])
    }
    if recorded.subjects.count > 1 {
      ids = ids.merging(["covers": .array(recorded.subjects, \.json)])
    }
    let names = recorded.subjects.map { titles.name($0, output.time) }.joined(separator: ", ")
    try output.confirm(recorded.written, ids) { text(names) }
  }
}
