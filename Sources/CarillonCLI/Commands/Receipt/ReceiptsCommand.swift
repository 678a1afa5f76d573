import ArgumentParser
import Carillon
import CarillonDocuments

/// `carillon receipts`: the receipt history of all devices.
struct ReceiptsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receipts", abstract: "List or erase what happened to notifications.",
    subcommands: [ReceiptsListCommand.self, ReceiptsEraseCommand.self],
    defaultSubcommand: ReceiptsListCommand.self)
}

/// `carillon receipts list`.
struct ReceiptsListCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List what happened to notifications on all devices, latest first.",
    discussion: """
      Sorted by the time at which a notification fired or will fire. What was only handed to a \
      system is listed with --state submitted or --state all.

      The states: observed (a fetched item), submitted (handed to the system), presumed (its time \
      has passed), delivered, expired (taken off the screen), dismissed, opened, acted (answered).
      """)

  @OptionGroup var global: GlobalOptions

  @Option(
    help: ArgumentHelp(
      "The most receipts to list, 1 to 100000 (default: 100).", valueName: "n"))
  var limit: Given<Int>?

  @Option(
    help: ArgumentHelp(
      "List only receipts in this state: \(ReceiptStates.names.joined(separator: ", ")) "
        + "(default: all but submitted).", valueName: "state"))
  var state: Given<ReceiptStates>?

  static let usualCount = 100

  func run(_ call: Call) async throws {
    let limit = try limit.value(for: "--limit") ?? Self.usualCount
    guard (1...100_000).contains(limit) else {
      throw CommandFailure.badValue(
        "--limit: \(limit) is out of range; 1 to 100000 is allowed",
        hint: "give a number from 1 to 100000")
    }
    try await Self.answer(call, limit: limit, state.value(for: "--state") ?? .happened)
  }

  /// Prints the latest receipts in some states.
  static func answer(_ call: Call, limit: Int, _ states: ReceiptStates) async throws {
    try await call.withStore { store in
      let time = call.output.time
      let document = try await ReceiptsDocument(store, limit: limit, in: states.states, time)
      let names = try ReplicaNames(store)
      try call.output.answer(document.json) {
        guard !document.receipts.isEmpty else { return Self.none(states, call.output) }
        var table = Table([
          .init(title: "fires"), .init(title: "state"),
          .init(title: "notification", canShrink: true), .init(title: "since", isOptional: true),
          .init(title: "replica"), .id,
        ])
        for receipt in document.receipts {
          let fires = receipt.fireAt ?? (receipt.state == .delivered ? receipt.at : nil)
          table.add([
            .init(fires.map(time.text) ?? ""), .init(receipt.stateText, .bold),
            .init(document.titles.name(of: receipt, time)),
            .init(receipt.at == fires ? "" : time.text(receipt.at)),
            .init(names[receipt.replica]), .init(receipt.notificationID.description, .dim),
          ])
        }
        return table.rendered(on: call.output.terminal)
          + (document.hasMore ? "There are more; to list them, give a greater --limit.\n" : "")
      }
    }
  }

  private static func none(_ states: ReceiptStates, _ output: Output) -> String {
    states == .happened
      ? "No receipts of what happened. What was handed to a system: "
        + "\(output.carillon) receipts list --state submitted\n"
      : "No receipts in this state.\n"
  }
}

extension Receipt {
  /// `acted`, with the person's answer if there is one: `acted: done "went far"`.
  fileprivate var stateText: String {
    guard let answer else { return state.rawValue }
    return "\(state.rawValue): \(answer.action)\(answer.text.map { " \"\($0)\"" } ?? "")"
  }
}

/// The states of receipts that an option selects: one of them, or `all`.
struct ReceiptStates: ArgumentValue, Equatable {
  let states: Set<Receipt.State>

  /// What happened to notifications, without those that a system only holds.
  static let happened = ReceiptStates(states: ReceiptsDocument.happened)

  static var names: [String] { Receipt.State.allCases.map(\.rawValue) + ["all"] }
  static var form: String { "one of " + names.joined(separator: ", ") }

  private init(states: Set<Receipt.State>) {
    self.states = states
  }

  init(argument: String) throws(ArgumentProblem) {
    if argument == "all" {
      states = Set(Receipt.State.allCases)
    } else if let state = Receipt.State(rawValue: argument) {
      states = [state]
    } else {
      throw ArgumentProblem("unknown state \"\(argument)\"")
    }
  }
}
