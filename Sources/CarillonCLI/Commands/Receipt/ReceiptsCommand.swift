import ArgumentParser
import Carillon

/// `carillon receipts`: the history of notifications.
struct ReceiptsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receipts", abstract: "List what became of notifications, or erase it.",
    subcommands: [ReceiptsListCommand.self, ReceiptsEraseCommand.self],
    defaultSubcommand: ReceiptsListCommand.self)
}

/// `carillon receipts list`.
struct ReceiptsListCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List what became of notifications, the latest first.")

  @OptionGroup var global: GlobalOptions

  @Option(help: ArgumentHelp("At most so many, 1 to 100000; 1000 by default.", valueName: "n"))
  var limit: Given<Int>?

  @Option(help: ArgumentHelp("Only those that came so far and no further.", valueName: "state"))
  var state: Given<ReceiptStateName>?

  func run(_ call: Call) async throws {
    let limit = try limit.value(for: "--limit") ?? 1_000
    guard (1...100_000).contains(limit) else {
      throw CommandFailure.badData(
        "--limit: \(limit) is out of range; 1 to 100000 is allowed", hint: "give fewer")
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
            .init(receipt.key, .dim),
          ])
        }
        return table.rendered(on: call.output.terminal)
      }
    }
  }
}

extension Receipt {
  /// `acted`, or with what the person answered: `acted: done "went far"`.
  fileprivate var stateText: String {
    guard let answer else { return state.rawValue }
    return "\(state.rawValue): \(answer.action)\(answer.text.map { " \"\($0)\"" } ?? "")"
  }

  /// `{key, source, revision, state, at, replica, action, text, ...}`: behind these what the
  /// subject names.
  fileprivate func json(_ titles: HabitTitles, _ time: LocalTime) -> JSON {
    let common: JSON = [
      "key": .text(key), "source": .text(subject.source), "revision": .text(revision),
      "state": .text(state.rawValue), "at": .text(time.rfc3339(at)),
      "replica": .text(replica.description), "action": .text(answer?.action),
      "text": .text(answer?.text),
    ]
    return switch titles.local(subject, time) {
    case .occurrence(let habit, let schedule, let nominal):
      common.merging([
        "habit": .text(habit.description), "schedule": .text(schedule.description),
        "nominal": .text(nominal.description),
      ])
    case .item(_, let item):
      common.merging(["item": .text(item), "title": .text(title)])
    case .push: common
    }
  }
}

/// A state, as an option names it.
struct ReceiptStateName: ArgumentValue {
  let state: Receipt.State

  static var form: String {
    "one of " + Receipt.State.allCases.map(\.rawValue).joined(separator: ", ")
  }

  init(argument: String) throws(ArgumentProblem) {
    guard let state = Receipt.State(rawValue: argument) else {
      throw ArgumentProblem("there is no state \"\(argument)\"")
    }
    self.state = state
  }
}
