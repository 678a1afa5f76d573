import ArgumentParser
import Carillon
import CarillonDocuments

/// `carillon receipts erase`: permanently erases receipts.
struct ReceiptsEraseCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: "Permanently erase receipts, on every replica.",
    discussion: """
      The receipts are erased on this replica immediately, and on the other replicas when they \
      sync. This cannot be undone. Later receipts are kept as before. An erased item alerts once \
      more if its source still lists it.

      Examples:
        carillon receipts erase --source github
        carillon receipts erase --habit Walk --before 2026-01-01
      """)

  @OptionGroup var global: GlobalOptions
  @Option(
    help: ArgumentHelp(
      "Erase the items and receipts of a source of fetched items.", valueName: "name"))
  var source: String?
  @Option(
    help: ArgumentHelp(
      "Erase the receipts of a habit, given by its title or ID.", valueName: "habit"))
  var habit: String?
  @Flag(help: "Erase the receipts of all habits and sources.") var all = false

  @Option(
    help: ArgumentHelp(
      "Erase only what was recorded before this date, such as 2026-01-01.", valueName: "date"))
  var before: Given<DateText>?

  func run(_ call: Call) async throws {
    let date = try before.value(for: "--before")
    guard [source != nil, habit != nil, all].count(where: { $0 }) == 1 else {
      throw CommandFailure.usage(
        "one of --source, --habit and --all is required",
        hint: "list the receipts: carillon receipts")
    }
    try await call.withStore { store in
      let receipts = try await receipts(in: store)
      let date = try await date?.date(.past, today: store.today())
      let report = try await store.eraseReceipts(receipts, before: date)
      try call.output.confirm(
        report.written,
        [
          "erased": .integer(report.payloadCount),
          "scopes": .array(report.scopes, \.json),
        ]
      ) {
        if report.scopes.isEmpty { return "Nothing to erase." }
        return report.payloadCount == 0
          ? "Nothing to erase here. What other replicas recorded until then is erased when they "
            + "sync."
          : "Permanently erased: \(report.payloadCount.counted("event")) redacted here. Other "
            + "replicas follow when they sync."
      }
    }
  }

  private func receipts(in store: Store) async throws -> ErasedReceipts {
    if let source { return .source(source) }
    guard let habit else { return .all }
    return .habit(try await store.habit(named: habit, prefer: .any).id)
  }
}

extension Erasure.Scope {
  /// The scope in the form of `log --json`, without the type.
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
