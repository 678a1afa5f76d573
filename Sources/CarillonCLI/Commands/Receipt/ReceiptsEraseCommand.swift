import ArgumentParser
import Carillon

/// `carillon receipts erase`: for ever.
struct ReceiptsEraseCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: "Erase what became of notifications, on every replica; nothing undoes it.",
    discussion: """
      What comes later is kept as before. A fetched item that was erased alerts once more where \
      its source still lists it.
      """)

  @OptionGroup var global: GlobalOptions
  @Option(help: ArgumentHelp("A source of fetched items, with the items.", valueName: "name"))
  var source: String?
  @Option(
    help: ArgumentHelp("A habit: its title, or its id or the start of it.", valueName: "habit"))
  var habit: String?
  @Flag(help: "All habits and sources.") var all = false

  @Option(
    help: ArgumentHelp("Only what was recorded before this date.", valueName: "date"))
  var before: Given<CivilDate>?

  func run(_ call: Call) async throws {
    let date = try before.value(for: "--before")
    guard [source != nil, habit != nil, all].count(where: { $0 }) == 1 else {
      throw CommandFailure.usage(
        "name one of --source, --habit and --all", hint: "see what there is: carillon receipts")
    }
    try await call.withStore { store in
      let receipts = try await receipts(in: store)
      let report = try await store.eraseReceipts(receipts, before: date)
      try call.output.confirm(
        report.written,
        [
          "erased": .integer(report.payloadCount),
          "scopes": .array(report.scopes, \.json),
        ]
      ) {
        if report.scopes.isEmpty { return "There was nothing to erase." }
        return report.payloadCount == 0
          ? "Nothing of it was held here; what other replicas recorded until then is erased as "
            + "soon as it comes."
          : "Erased for ever: \(report.payloadCount.counted("event")) lost what they said, here at "
            + "once, on other replicas when they sync."
      }
    }
  }

  private func receipts(in store: Store) async throws -> ErasedReceipts {
    if let source { return .source(source) }
    guard let habit else { return .all }
    var argument = HabitArgument()
    argument.habit = habit
    return .habit(try await argument.find(in: store, prefer: .any).id)
  }
}

extension Erasure.Scope {
  /// As `log` shows it, without the type.
  var json: JSON {
    switch self {
    case .habit(let habit): ["habit": .text(habit.description)]
    case .items(let source, let last):
      ["source": .text(source), "upTo": .text(last?.description)]
    case .receipts(let habit, let last):
      ["receiptsOf": .text(habit.description), "upTo": .text(last?.description)]
    }
  }
}
