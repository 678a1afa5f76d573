import ArgumentParser
import Carillon
import Foundation

/// `carillon plan`: what to change so that the system holds the queue, or the change itself.
struct PlanCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "plan", abstract: "Compare the queue with what the system has scheduled.",
    discussion: """
      With --apply a file stands for the system: by the call's clock it shows what is due, and is \
      given the queue. Playing a day with --now tells what a device would do: what was added or \
      snoozed and fell due before the next --apply does not fire, since the system was never given \
      it.
      """)

  @OptionGroup var global: GlobalOptions

  @Option(
    help: ArgumentHelp(
      "What the system lists: as pending --json prints it; others' requests need only id.",
      valueName: "file"))
  var against: String?

  @Option(
    help: ArgumentHelp(
      "Make this file, which stands for the system, hold the queue; a new one where there is none.",
      valueName: "file"))
  var apply: String?

  func run(_ call: Call) async throws {
    switch (against, apply) {
    case (let file?, nil): try await compare(file, call)
    case (nil, let file?): try await apply(file, call)
    default:
      throw CommandFailure.usage(
        "one of --against and --apply is needed",
        hint: "give --against with what the system lists, or --apply with the file to change")
    }
  }

  private func apply(_ file: String, _ call: Call) async throws {
    try FileScheduler.requireFile(file)
    let system = FileScheduler(path: file, time: call.output.time, now: call.storeOptions.clock)
    try await call.withStore { store in
      let isGranted = try await store.device().permission.isGranted
      let fired = try system.passTime(showing: isGranted)
      let before = try system.read()
      let applied = try await store.apply(to: system)
      let time = call.output.time
      let answer: JSON = [
        "fired": .array(fired) {
          [
            "id": .text($0.entry.id), "title": .text($0.entry.title),
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
      let time = call.output.time
      try call.output.answer([
        "remove": .array(difference.removals) { .text($0) },
        "add": .array(difference.insertions) { $0.json(time) },
        "removeDelivered": .array(difference.deliveredRemovals) { .text($0) },
        "unchanged": .integer(difference.unchanged), "foreign": .integer(difference.foreign),
        "blocked": .text(difference.blocked?.rawValue),
      ]) {
        difference.text(call.output, known: known)
      }
    }
  }
}

extension PlanDifference {
  /// For people: a table of what is to be changed, and one sentence.
  ///
  /// - Parameter known: What the store knows of requests that are not wanted any more.
  fileprivate func text(_ output: Output, known: [String: RequestSummary]) -> String {
    let time = output.time
    var table = Table([
      .init(title: ""), .init(title: "when"), .init(title: "reminder", canShrink: true),
      .init(title: "id"),
    ])
    func add(_ verb: Table.Cell, _ ids: [String]) {
      for id in ids {
        table.add([
          verb, .init(known[id]?.fireAt.map(time.text) ?? ""), .init(known[id]?.title ?? ""),
          .init(id, .dim),
        ])
      }
    }
    add("remove", removals)
    add("take away", deliveredRemovals)
    for request in insertions {
      table.add([
        "add", .init(request.fireAt.map(time.text) ?? "at a place"),
        .init(request.content.title, .bold),
        .init(request.id, .dim),
      ])
    }
    let isEmpty = removals.isEmpty && insertions.isEmpty && deliveredRemovals.isEmpty
    return (isEmpty ? "" : table.rendered(on: output.terminal))
      + "\(removals.count) to remove, \(insertions.count) to add, "
      + "\(unchanged) unchanged, \(foreign) of others.\n"
      + (blocked.map { $0.text + "\n" } ?? "")
  }
}

/// The requests that a system lists, read from a file.
struct ScheduledList {
  let requests: [ScheduledRequest]

  /// - Throws: `malformed` naming the place of what is not of the form.
  init(_ document: JSON) throws(ModelError) {
    let items = try Self.items(of: document)
    requests = try items.enumerated().map(Self.request)
  }

  /// - Throws: `badData` naming the place of what is not of the form; `notFound`, `io`.
  init(contentsOf path: String) throws {
    let file = try InputFile(path)
    let bytes = try file.wholeContents(maxBytes: 64 << 20)
    do throws(ModelError) {
      try self.init(JSONValue(parsing: bytes))
    } catch {
      throw CommandFailure.badData(
        "\(file.name): \(error.message)",
        hint: "give what pending --json prints, or a list of {\"id\":…}")
    }
  }

  /// The list itself, or the member `pending` of an object.
  private static func items(of document: JSONValue) throws(ModelError) -> [JSONValue] {
    if case .array(let items) = document { return items }
    guard case .object(let object) = document, case .array(let items)? = object["pending"] else {
      throw ModelError(
        code: .malformed, message: "this is neither a list nor an object with a list \"pending\"")
    }
    return items
  }

  private static func request(
    _ index: Int, _ item: JSONValue
  ) throws(ModelError) -> ScheduledRequest {
    guard case .object(let object) = item, case .text(let id)? = object["id"] else {
      throw ModelError(code: .malformed, message: "item \(index + 1) has no text \"id\"")
    }
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
