/// A verb that is often asked for, with no options other than global ones, so that it runs without
/// the parser and on the main thread.
///
/// The parser asks for the conformances of its many types, which takes longer than a short answer.
struct PlainVerb: Sendable {
  let global: GlobalValues
  let run: @Sendable (Call) async throws -> Void

  /// The verbs that may be plain, without the table of all verbs, which the parser's types make.
  private static let verbs: [ArgumentOrder.Verb] = [
    .init(name: "status", verbs: []), .init(name: "today", verbs: []),
    .init(name: "pending", verbs: []), .init(name: "done", verbs: []),
    .init(name: "undo", verbs: []), .init(name: "explain", verbs: []),
    .init(name: "habit", verbs: [.init(name: "list", verbs: []), .init(name: "show", verbs: [])]),
    .init(name: "receipts", verbs: [.init(name: "list", verbs: [])]),
  ]

  /// Returns nil for all other verbs and arguments, which the parser reads.
  init?(_ given: [String]) {
    let order = ArgumentOrder(given, verbs: Self.verbs)
    var words: [String] = []
    guard
      let global = GlobalValues(order.arguments.dropFirst(order.path.count), among: &words)
    else { return nil }
    self.global = global
    switch (order.path, words.count) {
    case (["status"], 0): run = { try await StatusCommand.answer($0) }
    case (["today"], 0): run = { try await TodayCommand().run($0) }
    case (["habit", "list"], 0): run = { try await HabitListCommand.answer($0) }
    case (["pending"], 0):
      run = { try await PendingCommand.answer($0, limit: nil, days: nil) }
    case (["done"], 1...):
      run = { [words] in try await DoneCommand(habits: words).run($0) }
    case (["undo"], 1...):
      run = { [words] in try await UndoCommand.answer($0, habits: words) }
    case (["habit", "show"], 1):
      run = { [words] in try await HabitShowCommand.answer($0, habit: words[0]) }
    case (["explain"], 1):
      run = { [words] in try await ExplainCommand(habit: words[0]).run($0) }
    case (["receipts"], 0), (["receipts", "list"], 0):
      run = {
        try await ReceiptsListCommand.answer(
          $0, limit: ReceiptsListCommand.usualCount, .happened)
      }
    default: return nil
    }
  }
}
