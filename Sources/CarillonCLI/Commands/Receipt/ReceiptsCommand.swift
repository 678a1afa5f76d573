import ArgumentParser
import Carillon

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
    abstract: "List what happened to notifications on all devices, latest first.")

  @OptionGroup var global: GlobalOptions

  @Option(
    help: ArgumentHelp(
      "The most receipts to list, 1 to 100000 (default: 1000).", valueName: "n"))
  var limit: Given<Int>?

  @Option(
    help: ArgumentHelp(
      "List only receipts in this state: "
        + "\(Receipt.State.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "state"))
  var state: Given<ReceiptStateName>?

  func run(_ call: Call) async throws {
    let limit = try limit.value(for: "--limit") ?? 1_000
    guard (1...100_000).contains(limit) else {
      throw CommandFailure.badValue(
        "--limit: \(limit) is out of range; 1 to 100000 is allowed",
        hint: "give a number from 1 to 100000")
    }
    let state = try state.value(for: "--state")?.state
    try await call.withStore { store in
      let receipts = try await store.receipts(limit: limit, state: state)
      let names = try ReplicaNames(store)
      let titles = try await HabitTitles(store)
      let time = call.output.time
      try call.output.answer(["receipts": .array(receipts) { $0.json(titles, time) }]) {
        guard !receipts.isEmpty else { return "No receipts.\n" }
        var table = Table([
          .init(title: "when"), .init(title: "state"),
          .init(title: "notification", canShrink: true), .init(title: "replica"),
          .init(title: "id"),
        ])
        for receipt in receipts {
          table.add([
            .init(time.text(receipt.at)), .init(receipt.stateText, .bold),
            .init(titles.name(receipt, time)), .init(names[receipt.replica]),
            .init(receipt.notificationID.description, .dim),
          ])
        }
        return table.rendered(on: call.output.terminal)
      }
    }
  }
}

extension Receipt {
  /// `acted`, with the person's answer if there is one: `acted: done "went far"`.
  fileprivate var stateText: String {
    guard let answer else { return state.rawValue }
    return "\(state.rawValue): \(answer.action)\(answer.text.map { " \"\($0)\"" } ?? "")"
  }

  /// `{key, source, revision, state, at, replica, action, text, ...}`, followed by the members of
  /// the subject.
  fileprivate func json(_ titles: HabitTitles, _ time: LocalTime) -> JSON {
    let common: JSON = [
      "key": .text(notificationID.description), "source": .text(subject.source),
      "revision": .text(subject.revision), "state": .text(state.rawValue),
      "at": .text(time.rfc3339(at)),
      "replica": .text(replica.description), "action": .text(answer?.action.description),
      "text": .text(answer?.text),
    ]
    return switch titles.local(subject, time) {
    case .occurrence(let occurrence):
      common.merging([
        "habit": .text(occurrence.habit.description),
        "schedule": .text(occurrence.schedule.description),
        "nominal": .text(occurrence.nominal.description),
      ])
    case .item(_, let item, _):
      common.merging(["item": .text(item), "title": .text(title)])
    case .push: common
    }
  }
}

/// A receipt's state, as an option names it.
struct ReceiptStateName: ArgumentValue {
  let state: Receipt.State

  static var names: [String] { Receipt.State.allCases.map(\.rawValue) }
  static var form: String { "one of " + names.joined(separator: ", ") }

  init(argument: String) throws(ArgumentProblem) {
    guard let state = Receipt.State(rawValue: argument) else {
      throw ArgumentProblem("unknown state \"\(argument)\"")
    }
    self.state = state
  }
}
