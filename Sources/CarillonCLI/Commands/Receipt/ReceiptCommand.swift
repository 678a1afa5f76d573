import ArgumentParser
import Carillon

/// `carillon receipt`: what became of a notification on this device.
struct ReceiptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receipt", abstract: "Record what became of a notification on this device.",
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

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      let written = try await store.respond(to: notification.id, action: action, text: text)
      if action == "snooze" {
        try call.output.warn("the answer is recorded, but this version does not snooze")
      }
      try call.output.confirm(written, ["key": .text(notification.id)]) {
        written.events.contains { $0.type == "response.recorded" }
          ? "Answered: \(action)." : "That answer was recorded already."
      }
    }
  }
}

extension Call {
  fileprivate func record(
    _ state: ReceiptState, of notification: NotificationArgument
  ) async throws {
    try await withStore { store in
      let written = try await store.recordReceipt(state, of: notification.id)
      try output.confirm(written, ["key": .text(notification.id)]) {
        written.events.contains { $0.type == "receipt.advanced" }
          ? "Recorded: \(state.rawValue)." : "It was \(state.rawValue) already."
      }
    }
  }
}
