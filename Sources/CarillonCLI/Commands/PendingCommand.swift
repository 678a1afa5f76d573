import ArgumentParser
import Carillon
import CarillonDocuments
import CarillonModel

/// `carillon pending`: lists the notification requests that the system should have scheduled.
struct PendingCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "pending",
    abstract: "List the notifications that the system should have scheduled now.")

  @OptionGroup var global: GlobalOptions

  @Option(
    help: ArgumentHelp(
      "The most requests that the system keeps, 0 to 10000 (default: 64).", valueName: "n"))
  var limit: Given<Int>?

  @Option(
    help: ArgumentHelp(
      "List what fires within this number of days, today included, 1 to 400 (default: what the "
        + "system has scheduled, which covers the horizonDays setting).",
      valueName: "n"))
  var days: Given<Int>?

  func run(_ call: Call) async throws {
    let (limit, days) = (try limit.value(for: "--limit"), try days.value(for: "--days"))
    try Self.require("--limit", limit, in: PlanSettings.capacities)
    try Self.require("--days", days, in: PlanSettings.horizons)
    try await Self.answer(call, limit: limit, days: days)
  }

  private static func require(
    _ option: String, _ value: Int?, in range: ClosedRange<Int>
  ) throws(CommandFailure) {
    guard let value, !range.contains(value) else { return }
    throw .badValue(
      "\(option): \(value) is out of range",
      hint: "give a number from \(range.lowerBound) to \(range.upperBound)")
  }

  /// Prints the plan for a number of requests and of days, by default the device's own.
  ///
  /// That one is read without opening the store, if it is kept and still valid, for programs that
  /// ask for the queue again and again. An empty one needs the store to say why.
  static func answer(_ call: Call, limit: Int?, days: Int?) async throws {
    let output = call.output
    var options = call.storeOptions
    if limit == nil, days == nil,
      let plan = Store.keptPlan(
        at: try call.directory(), options: options, leavingOpen: { options = $0 }),
      output.isJSON || !plan.requests.isEmpty
    {
      return try output.answer(output.isJSON ? plan.json(output.time) : .null) {
        text(plan, limit: nil, call)
      }
    }
    try await call.withStore(options: options) { store in
      let document = try await PendingDocument(
        store, limit: limit, days: days, call.output.time)
      var reason = ""
      if document.plan.requests.isEmpty, !call.output.isJSON {
        reason = try await Self.reason(of: store, call.output)
      }
      try call.output.answer(document.json) {
        Self.text(document.plan, emptyFor: reason, limit: limit, call)
      }
    }
  }

  /// Returns why nothing is pending, with the next occurrence of the first habits, and what to do.
  private static func reason(of store: Store, _ output: Output) async throws -> String {
    let habits = try await store.habits()
    guard !habits.isEmpty else {
      return output.terms(" Add a habit with a time", .addHabit)
    }
    let next = try await store.nextExplanations()
    guard !next.isEmpty else {
      return " No habit has a reminder in the days ahead."
        + output.terms(" To see one's schedules", .show(habits[0]))
    }
    let words = try await ReasonWords(store, output.time, output.terms)
    var table = Table([
      .init(title: "next"), .init(title: "reminder", canShrink: true),
      .init(title: "why", wraps: true),
    ])
    for (habit, explanation) in next.prefix(reasonLimit) {
      table.add([
        .init(explanation.fireAt.map(output.time.text) ?? "at a place"),
        .init(habit.title, .bold), .init(words.text(explanation, of: habit)),
      ])
    }
    let rest = next.count - reasonLimit
    let more =
      rest > 0 ? "\nand \(rest.counted("more habit")). To see all: \(output.carillon) today" : ""
    return "\n" + table.rendered(on: output.terminal).dropLast() + more
  }

  /// The most habits for which an empty answer says why.
  private static let reasonLimit = 5

  private static func text(
    _ plan: NotificationPlan, emptyFor reason: String = "", limit: Int?, _ call: Call
  ) -> String {
    let time = call.output.time
    var table = Table([
      .init(title: "when"), .init(title: ""), .init(title: "reminder", canShrink: true),
      .init(title: "repeats", canShrink: true, fairWidth: 16, isOptional: true), .id,
    ])
    for request in plan.requests {
      table.add([
        .init(request.fireAt.map(time.text) ?? "at a place"),
        .init(request.fireAt.map(time.distance) ?? "", .dim),
        .init(request.name, .bold), .init(request.repeats ? request.trigger.text : ""),
        .init(request.id.description, .dim),
      ])
    }
    let isEmpty = plan.requests.isEmpty
    var text = isEmpty ? "" : table.rendered(on: call.output.terminal)
    if isEmpty, plan.dropped == 0 { text = "Nothing is pending.\(reason)\n" }
    if plan.dropped > 0 {
      let count = plan.dropped == 1000 ? "1000 or more" : "\(plan.dropped)"
      let isOne = plan.dropped == 1
      text +=
        "\(count)\(isEmpty ? "" : " more") "
        + (limit == nil
          ? "\(isOne ? "does" : "do") not fit.\n"
          : "\(isOne ? "is" : "are") not listed (--limit \(plan.capacity)).\n")
      if limit == nil { text += plan.leftOut.paragraph(call.output, capacity: plan.capacity) }
    }
    return text + (plan.blocked.map { call.output.footer($0) } ?? "")
  }
}
