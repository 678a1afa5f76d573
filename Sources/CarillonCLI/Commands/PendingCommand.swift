import ArgumentParser
import Carillon
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

  /// Prints the kept plan, if it is still valid and only global options are given.
  ///
  /// Returns nil in all other cases, which need the parser and an open store. This shortcut is for
  /// programs that ask for the queue again and again.
  static func answerAtOnce(_ given: [String]) -> ExitStatus? {
    let verb = ArgumentOrder.Verb(name: "pending", verbs: [])
    let order = ArgumentOrder(given, verbs: [verb])
    guard order.path == [verb.name], let global = GlobalValues(alone: order.arguments.dropFirst()),
      // The verb reports a wrong value.
      let call = try? Call(global), call.clockWarning == nil, let directory = try? call.directory(),
      let plan = Store.keptPlan(at: directory, options: call.storeOptions),
      global.json || !plan.requests.isEmpty
    else { return nil }
    let text =
      global.json ? plan.json(call.output.time).line : text(plan, limit: nil, call)
    do {
      try ByteOutput.standardOutput.write(text)
      return .success
    } catch {
      CommandRunner.say(error, isJSON: global.json)
      return error.status
    }
  }

  func run(_ call: Call) async throws {
    try await Self.answer(
      call, limit: limit.value(for: "--limit"), days: days.value(for: "--days"))
  }

  /// Prints the plan for a number of requests and of days, by default the device's own.
  static func answer(_ call: Call, limit: Int?, days: Int?) async throws {
    try await call.withStore { store in
      var plan = try await store.plan(capacity: limit, horizonDays: days)
      if let days { plan = plan.firing(before: call.output.time.end(ofDays: days)) }
      var reason = ""
      if plan.requests.isEmpty, !call.output.isJSON {
        reason = try await Self.reason(of: store, call.output)
      }
      try call.output.answer(plan.json(call.output.time)) {
        Self.text(plan, emptyFor: reason, limit: limit, call)
      }
    }
  }

  /// Returns why nothing is pending, with the next occurrence of the first habits, and what to do.
  private static func reason(of store: Store, _ output: Output) async throws -> String {
    let habits = try await store.habits()
    guard !habits.isEmpty else {
      return " Add a habit with a time: \(output.carillon) habit add Walk --at 17:00"
    }
    let next = try await store.nextExplanations()
    guard !next.isEmpty else {
      return " No habit has a reminder in the days ahead. To see one's schedules: "
        + "\(output.carillon) habit show \(habits[0].argument)"
    }
    let words = try await ReasonWords(store, output)
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
    var text =
      plan.requests.isEmpty
      ? "Nothing is pending.\(reason)\n"
      : table.rendered(on: call.output.terminal)
    if plan.dropped > 0 {
      let count = plan.dropped == 1000 ? "1000 or more" : "\(plan.dropped)"
      let isOne = plan.dropped == 1
      text +=
        limit == nil
        ? "\(count) more \(isOne ? "does" : "do") not fit.\n"
        : "\(count) more \(isOne ? "is" : "are") not listed (--limit \(plan.capacity)).\n"
      if limit == nil { text += plan.leftOut.paragraph(call.output, capacity: plan.capacity) }
    }
    return text + (plan.blocked.map { call.output.footer($0) } ?? "")
  }
}

extension LocalTime {
  /// The first instant after a number of civil days, of which today is the first.
  fileprivate func end(ofDays days: Int) -> Instant {
    let calendar = CivilCalendar(zone: zone)
    return calendar.firstInstant(of: calendar.dateTime(at: now).date.adding(days: days))
  }
}

extension Blocked {
  /// The reason why no notifications are delivered, in a few words.
  var cause: String {
    switch self {
    case .notDetermined: "no permission yet"
    case .denied: "permission is denied"
    case .alertsOff: "alerts are off"
    }
  }

  /// The reason why no notifications are delivered, and what to do.
  var text: String {
    switch self {
    case .notDetermined:
      "Nothing is delivered yet: permission is not determined. Next: carillon permission grant"
    case .denied:
      "Nothing is delivered: permission is denied. Allow it in the system's settings, then: "
        + "carillon permission grant"
    case .alertsOff: "Nothing is delivered: alerts are off. Next: carillon alerts on"
    }
  }
}

extension Output {
  /// Returns the line below a view that says why nothing is delivered on this device.
  func footer(_ blocked: Blocked) -> String {
    NextCommand.naming(store, in: blocked.text) + "\n"
  }
}

extension NotificationPlan {
  func json(_ time: LocalTime) -> JSON {
    [
      "asOf": .text(time.rfc3339(asOf)), "zone": .text(zone), "capacity": .integer(capacity),
      "coverageUntil": .text(time.rfc3339(coverageUntil)), "dropped": .integer(dropped),
      "leftOut": leftOut.json(time), "blocked": .text(blocked?.rawValue),
      "pending": .array(requests) { $0.json(time) },
    ]
  }
}

extension NotificationRequest {
  /// The title; for a digest also the titles of its habits, `morning: Walk, Tea, Read`.
  fileprivate var name: String {
    guard id.kind == .digest, let body = content.body else { return content.title }
    return "\(content.title): \(body)"
  }

  func json(_ time: LocalTime) -> JSON {
    var shown: [(key: String, value: JSON)] = [("title", .text(content.title))]
    if let body = content.body { shown.append(("body", .text(body))) }
    if let sound = content.sound { shown.append(("sound", .text(sound))) }
    if let level = content.level { shown.append(("level", .text(level.rawValue))) }
    shown.append(("thread", .text(content.thread)))
    if !content.data.isEmpty {
      let data = content.data.sorted { $0.key < $1.key }
      shown.append(("data", .object(data.map { (key: $0.key, value: .text($0.value)) })))
    }
    return [
      "id": .text(id.description), "habit": .text(habit.description),
      "schedule": .text(schedule.description),
      "title": .text(content.title), "content": .object(shown),
      "fireAt": .text(fireAt.map(time.rfc3339)), "nominal": .text(nominal.description),
      "repeats": .bool(repeats), "trigger": .text(trigger.description),
      "fingerprint": .text(fingerprint),
    ]
  }
}
