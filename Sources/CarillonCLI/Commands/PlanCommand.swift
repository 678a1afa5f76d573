import ArgumentParser
import Carillon
import CarillonDocuments
import CarillonModel
import Foundation

/// `carillon plan`: compares the pending queue with what the system has scheduled, or applies it to
/// a file that acts as the system.
struct PlanCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Compare the pending queue with what the system has scheduled, or apply it.",
    discussion: """
      With --against, the answer lists the requests to remove from the system and to add to it.

      With --apply, a file acts as the system: it fires the requests that are due by the clock \
      (--now), and then receives the queue. Use it to simulate a day of a device. A reminder that \
      was added or snoozed and became due before the next --apply does not fire, since the system \
      never received it.

      Examples:
        carillon plan --against scheduled.json
        carillon plan --apply system.json --now 2026-11-23T17:00:00Z
      """)

  @OptionGroup var global: GlobalOptions

  @Option(
    help: ArgumentHelp(
      "The requests that the system lists, in the form of pending --json; requests that are not "
        + "Carillon's need only an id.",
      valueName: "file"))
  var against: String?

  @Option(
    help: ArgumentHelp(
      "Apply the queue to this file, which acts as the system; it is created if it does not exist.",
      valueName: "file"))
  var apply: String?

  func run(_ call: Call) async throws {
    switch (against, apply) {
    case (let file?, nil): try await compare(file, call)
    case (nil, let file?): try await apply(file, call)
    default:
      throw CommandFailure.usage(
        against == nil
          ? "either --against or --apply is required"
          : "--against and --apply cannot be used together",
        hint: "give --against FILE to compare, or --apply FILE to change the file")
    }
  }

  private func apply(_ file: String, _ call: Call) async throws {
    try FileScheduler.requireFile(file)
    let system = FileScheduler(path: file, time: call.output.time, now: call.storeOptions.clock)
    try await call.withStore { store in
      let isGranted = try await store.device().permission.isGranted
      let fired = try system.passTime(delivering: isGranted)
      let before = try system.read()
      let applied = try await store.apply(to: system)
      let time = call.output.time
      let answer: JSON = [
        "fired": .array(fired) {
          [
            "id": .text($0.entry.id.description), "title": .text($0.entry.title),
            "firedAt": .text(time.rfc3339($0.firedAt)),
          ]
        }
      ]
      try call.output.answer(
        answer.merging(applied.json(time)).merging(applied.written.json), recorded: true
      ) {
        applied.text(call.output, fired: fired, before: before)
      }
      try applied.requireComplete()
    }
  }

  private func compare(_ file: String, _ call: Call) async throws {
    let scheduled = try ScheduledList(contentsOf: file).requests
    try await call.withStore { store in
      let difference = try await store.planDifference(from: scheduled)
      let known = try await store.summaries(
        of: difference.removals + difference.deliveredRemovals)
      try call.output.answer(difference.json(call.output.time)) {
        difference.text(call.output, known: known)
      }
    }
  }
}

extension PlanDifference {
  /// Returns text for people: a table of the changes to make, and a summary.
  ///
  /// - Parameter known: The store's summaries of the requests to remove.
  fileprivate func text(_ output: Output, known: [RequestID: RequestSummary]) -> String {
    let time = output.time
    var table = Table([
      .init(title: ""), .init(title: "when"), .init(title: "reminder", canShrink: true),
      .id,
    ])
    func add(_ verb: Table.Cell, _ ids: [RequestID]) {
      for id in ids {
        table.add([
          verb, .init(known[id]?.fireAt.map(time.text) ?? ""), .init(known[id]?.title ?? ""),
          .init(id.description, .dim),
        ])
      }
    }
    add("remove", removals)
    add("clear", deliveredRemovals)
    for request in insertions {
      table.add([
        "add", .init(request.fireAt.map(time.text) ?? "at a place"),
        .init(request.content.title, .bold),
        .init(request.id.description, .dim),
      ])
    }
    let isEmpty = removals.isEmpty && insertions.isEmpty && deliveredRemovals.isEmpty
    return (isEmpty ? "" : table.rendered(on: output.terminal))
      + "\(removals.count) to remove, \(insertions.count) to add, "
      + "\(unchanged) unchanged, \(foreign) not Carillon's.\n"
      + (blocked.map { output.footer($0) } ?? "")
  }
}

/// The requests that a system lists, read from a file.
struct ScheduledList {
  let requests: [ScheduledRequest]

  /// - Throws: `malformed` with the place of the malformed item.
  init(_ document: JSON) throws(ModelError) {
    let items = try Self.items(of: document)
    requests = try items.enumerated().map(Self.request)
  }

  /// - Throws: `badData` with the place of the malformed item; `notFound`, `io`.
  init(contentsOf path: String) throws {
    let file = try InputFile(path)
    let bytes = try file.wholeContents(maxBytes: 64 << 20)
    do throws(ModelError) {
      try self.init(JSONValue(parsing: bytes))
    } catch {
      throw CommandFailure.badData(
        "\(file.name): \(error.message)",
        hint: "give the output of pending --json, or a list of {\"id\":…}")
    }
  }

  /// The list itself, or the member `pending` of an object.
  private static func items(of document: JSONValue) throws(ModelError) -> [JSONValue] {
    if case .array(let items) = document { return items }
    guard case .object(let object) = document, case .array(let items)? = object["pending"] else {
      throw ModelError(
        code: .malformed, message: "expected a list, or an object with a list \"pending\"")
    }
    return items
  }

  private static func request(
    _ index: Int, _ item: JSONValue
  ) throws(ModelError) -> ScheduledRequest {
    guard case .object(let object) = item, case .text(let text)? = object["id"] else {
      throw ModelError(code: .malformed, message: "item \(index + 1) has no text \"id\"")
    }
    let id = NotificationID(text)
    switch object["fingerprint"] {
    case .text(let fingerprint): return ScheduledRequest(id: id, fingerprint: fingerprint)
    case nil, .null: return ScheduledRequest(id: id, fingerprint: nil)
    case let other?:
      throw ModelError(
        code: .malformed,
        message: "the \"fingerprint\" of item \(index + 1) is \(other.kindName), not text")
    }
  }
}
