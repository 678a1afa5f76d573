import ArgumentParser
import Carillon
import CarillonDocuments
import CarillonModel

/// `carillon log`: lists the events in order of arrival.
struct LogCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "List the events, in order of arrival.",
    discussion: """
      The text names a habit as it was called at the time of each event.

      Examples:
        carillon log --last 20
        carillon log --habit walk --type entry.recorded
        carillon log --conflicts
      """)

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Continue with new events as they arrive, until Ctrl-C.") var follow = false

  @Option(help: ArgumentHelp("Start after this position (default: 0).", valueName: "position"))
  var after: Given<Int>?

  @Option(help: ArgumentHelp("List only the last n events, 1 to 100000.", valueName: "n"))
  var last: Given<Int>?

  @Option(
    help: ArgumentHelp(
      "List only the events of this habit: a few letters of its title, or its ID.",
      valueName: "habit"))
  var habit: String?

  @Option(
    help: ArgumentHelp(
      "List only the events of this type, such as entry.recorded.", valueName: "type"))
  var type: String?

  @Flag(
    help: ArgumentHelp(
      "List the changes that were lost because another device changed, archived or deleted the "
        + "same thing, with the command that takes each back."))
  var conflicts = false

  func run(_ call: Call) async throws {
    if conflicts { return try await listConflicts(call) }
    let given = try after.value(for: "--after") ?? 0
    guard let start = UInt64(exactly: given).map(LogPosition.init(rawValue:)) else {
      throw CommandFailure.badValue("--after: \(given) is negative", hint: "give 0 or more")
    }
    let count = try last.value(for: "--last")
    guard (1...Self.mostLast).contains(count ?? 1) else {
      throw CommandFailure.badValue(
        "--last: \(count ?? 0) is out of range; 1 to \(Self.mostLast) is allowed",
        hint: "give a number from 1 to \(Self.mostLast)")
    }
    try requireType()
    try await call.withStore(mayLackKeys: true) { store in
      call.noteLackOfKeys(in: store, "what the events say, and the names of devices,")
      var wanted: HabitID?
      if let habit { wanted = try await store.habit(named: habit, prefer: .any).id }
      var names = try ReplicaNames(store)
      var titles = try await titles(of: store, call)
      titles.replicas = names
      if follow {
        for try await logged in store.events(after: start) {
          let name = try names.name(of: logged.event.replica, in: store)
          let text = line(logged, name, &titles, call)
          if isListed(logged, wanted) { try ByteOutput.standardOutput.write(text) }
        }
        return try Task.checkCancellation()
      }
      var lines = LastLines(count)
      let begin = try await beginning(of: count, after: start, wanted, titles, store, call)
      for try await logged in store.history(after: begin) {
        let text = line(logged, names[logged.event.replica], &titles, call)
        if logged.position > start, isListed(logged, wanted) { try lines.append(text) }
      }
      try lines.flush()
      try Task.checkCancellation()
    }
  }

  /// Returns a position that is followed by the last `count` listed events, and by all that their
  /// texts need.
  ///
  /// An earlier event may have set a title or a schedule that a text names.
  private func beginning(
    of count: Int?, after start: LogPosition, _ habit: HabitID?, _ titles: HabitTitles,
    _ store: Store, _ call: Call
  ) async throws -> LogPosition {
    let first = call.output.isJSON ? start : .start
    guard let count else { return first }
    let end = try store.lastPosition().rawValue
    var reach = UInt64(count)
    while reach < end, end - reach > start.rawValue {
      let begin = LogPosition(rawValue: end - reach)
      var listed = 0
      for try await logged in store.history(after: begin) {
        if !call.output.isJSON, titles.needsEarlierEvents(for: logged.payload) { return first }
        if isListed(logged, habit) { listed += 1 }
      }
      if listed >= count { return begin }
      reach *= 8
    }
    return first
  }

  private func listConflicts(_ call: Call) async throws {
    guard !follow, after == nil, last == nil, type == nil else {
      throw CommandFailure.usage(
        "--conflicts cannot be used with --follow, --after, --last or --type",
        hint: "leave these out; --habit is allowed")
    }
    try await call.withStore { store in
      var wanted: HabitID?
      if let habit { wanted = try await store.habit(named: habit, prefer: .any).id }
      let lines = try await store.words(
        store.conflicts(of: wanted), call.output.time, call.output.terms)
      if call.output.isJSON {
        for line in lines { try call.output.answer(line.json) { "" } }
      } else {
        try ByteOutput.standardOutput.write(
          lines.isEmpty
            ? "No change of a habit, a note or a setting was lost.\n"
            : lines.map { $0.text.printable + "\n" }.joined())
      }
    }
  }

  private static let mostLast = 100_000

  private func requireType() throws(CommandFailure) {
    guard let type, !Payload.Kind.allCases.contains(where: { $0.name == type }),
      !["erased", "missing", "unopened", "unreadable"].contains(type),
      !LoggedEvent.keyEventNames.values.contains(type)
    else { return }
    let names = Payload.Kind.allCases.map(\.name) + LoggedEvent.keyEventNames.values
    let near = type.nearest(of: names).map { "did you mean \($0)? " } ?? ""
    throw .usage(
      "--type: there is no type \"\(type)\"",
      hint: near + "give one of \(names.sorted().joined(separator: ", "))")
  }

  private func isListed(_ logged: LoggedEvent, _ habit: HabitID?) -> Bool {
    if let type, logged.typeName != type { return false }
    guard let habit else { return true }
    return [.habit(habit), .receipt(of: habit)].contains(logged.payload?.erasureSubject)
  }

  /// Returns today's titles of habits, if they are printed, for events that arrived before those
  /// that name their habit.
  ///
  /// The log can be read without the projections. Such a habit is then shown by the start of its
  /// ID.
  private func titles(of store: Store, _ call: Call) async throws -> HabitTitles {
    guard !call.output.isJSON, store.hasContents else { return HabitTitles() }
    do {
      return try await HabitTitles(store)
    } catch let error as StoreError {
      try Task.checkCancellation()
      call.output.warn("some habits may be listed by ID: \(error.message)")
      return HabitTitles()
    }
  }

  private func line(
    _ logged: LoggedEvent, _ name: String, _ titles: inout HabitTitles, _ call: Call
  ) -> String {
    guard !call.output.isJSON else { return logged.json(name: name).withoutControls + "\n" }
    let instant = Instant(milliseconds: logged.event.timestamp.milliseconds)
    let time = call.output.time.text(instant)
    let event = "\(name.printable)@\(logged.event.sequence.rawValue)"
    return "\(String(logged.position.rawValue).leftPadded(6))  \(time)  "
      + "\(event.rightPadded(14))  "
      + [
        logged.typeName.rightPadded(18),
        titles.summary(observing: logged.payload, writtenAt: instant, call.output.time).printable,
      ]
      .joined(separator: "  ").trimmingSuffix + "\n"
  }
}

/// Lines that are printed as they come or, if only the last are wanted, at the end.
private struct LastLines {
  private var buffer = LineBuffer()
  private let count: Int?
  private var held: [String] = []
  /// The place of the oldest held line.
  private var oldest = 0

  init(_ count: Int?) {
    self.count = count
  }

  mutating func append(_ line: String) throws {
    guard let count else { return try buffer.append(line) }
    if held.count < count {
      held.append(line)
    } else {
      held[oldest] = line
      oldest = (oldest + 1) % count
    }
  }

  mutating func flush() throws {
    for line in held[oldest...] + held[..<oldest] { try buffer.append(line) }
    try buffer.flush()
  }
}

extension String {
  fileprivate func leftPadded(_ width: Int) -> String {
    String(repeating: " ", count: max(0, width - displayWidth)) + self
  }

  /// The text without trailing spaces.
  fileprivate var trimmingSuffix: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }

  fileprivate func rightPadded(_ width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - displayWidth))
  }
}
