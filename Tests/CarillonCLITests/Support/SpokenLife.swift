import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

/// A random week of a person who uses the command line and makes mistakes.
///
/// After each verb the system is given the plan, as `watch` and apps do. Then each sentence about
/// the future is compared with what the system holds, which decides what fires if nobody does
/// anything else: the answer of the verb itself, and `today`, `week`, `pending` and `explain`.
/// Each past firing must have a receipt.
struct SpokenLife {
  /// A sentence that is not true.
  private(set) var falsehoods: [String] = []
  /// The number of sentences that were compared.
  private(set) var sentences = 0

  private let bench: Workbench
  private let zone: TimeZone
  private var random: SeededGenerator
  private var now: Instant
  private var titles: [String] = []
  /// The firings that the system holds, by title, each list in order.
  private var coming: [String: [Instant]] = [:]
  /// The firings since the last look into the past.
  private var past: [(title: String, at: Instant)] = []

  private static let places = [
    ("Europe/Berlin", "2026-10-23T06:00:00Z"), ("America/New_York", "2026-10-30T11:00:00Z"),
    ("Asia/Tokyo", "2026-11-23T00:00:00Z"), ("Australia/Lord_Howe", "2026-10-02T21:00:00Z"),
  ]

  init(seed: UInt64) async throws {
    random = SeededGenerator(seed: seed)
    let place = random.pick(Self.places)
    zone = TimeZone(identifier: place.0) ?? .gmt
    now = Instant(rfc3339: place.1) ?? Instant(milliseconds: 0)
    bench = try Workbench()
    try await run("init", "--replica", "phone")
    try await run("permission", "grant")
    try await run("alerts", "on")
  }

  /// Lives through some acts.
  mutating func live(acts: Int) async throws {
    for _ in 0..<acts {
      try await pass(seconds: random.pick([60, 900, 5_400, 14_400, 36_000]))
      let answer = try await act()
      try await apply()
      check(answer)
      try await checkViews()
    }
  }

  // MARK: - Acts

  private mutating func act() async throws -> Answer {
    guard titles.count > 1, !random.oneIn(8), let title = titles.randomElement(using: &random)
    else {
      return try await addHabit()
    }
    let name = random.oneIn(4) ? String(title.lowercased().prefix(3)) : title
    let date = random.pick(["today", "yesterday", "today"])
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<4: return try await run("done", name, "--on", date)
    case 4: return try await run("done", title, titles[0])
    case 5: return try await run("undo", name, "--on", date)
    case 6: return try await run("skip", name, "--on", random.pick(["today", "tomorrow"]))
    case 7..<11: return try await run("snooze", name)
    case 11: return try await run("snooze", name, "--for", random.pick(["5m", "2h", "1h30m"]))
    case 12:
      return try await run("habit", "pause", name, "--to", random.pick(["today", "tomorrow"]))
    case 13: return try await run("habit", "resume", name)
    case 14: return try await run("habit", "edit", name, "--goal", "3/week")
    case 15: return try await run("habit", random.pick(["archive", "unarchive"]), title)
    case 16:
      return try await run("settings", "set", "quietHours", random.pick(["22-7", "none", "12-14"]))
    case 17: return try await run("settings", "set", "dayStart", random.pick(["00:00", "04:00"]))
    default: return try await mistake(title)
    }
  }

  /// Runs a verb with a mistake, which must be refused and write nothing.
  private mutating func mistake(_ title: String) async throws -> Answer {
    let before = try await events()
    let arguments = random.pick([
      ["done", title + "x"], ["snooze", title, "--for", "soon"], ["done", title, "--on", "32"],
      ["habit", "add", "Late", "--at", "25:00"], ["habit", "add", title, "--at", "7"],
      ["skip", title, "--on", "2026-02-30"], ["settings", "set", "quietHours", "7"],
    ])
    let answer = try await run(arguments)
    if answer.status == 0 { fail("\(arguments) was not refused: \(answer)") }
    if try await events() != before { fail("\(arguments) was refused and wrote events") }
    return answer
  }

  private mutating func addHabit() async throws -> Answer {
    let title = "\(random.pick(["Walk", "Water", "Gym", "Pills", "Read"])) \(titles.count)"
    let flags = random.pick([
      ["--at", "7"], ["--at", "17:00", "--unless", "done"], ["--at", "8:00,20:00"],
      ["--at", "23:30", "--unless", "done"], ["--interval", "2h", "--window", "8-20"],
      ["--on", "weekdays", "--at", "7pm"], ["--once", "tomorrow", "--at", "9"],
      ["--every", "2d", "--at", "12:30", "--unless", "done"],
      ["--at", "18:00", "--quota", "3/week"], ["--on", "mon,thu", "--at", "2:30"],
      ["--at", "22:30", "--quiet-hours", "fire"], ["--place", "52.52,13.405,200m"],
    ])
    titles.append(title)
    return try await run(["habit", "add", title] + flags)
  }

  // MARK: - The system

  /// Moves the clock; the system fires what is due.
  private mutating func pass(seconds: Int) async throws {
    let next = now.later(seconds)
    for (title, instants) in coming {
      past += instants.filter { $0 > now && $0 <= next }.map { (title, $0) }
    }
    now = next
  }

  /// Gives the system the plan, and reads what it holds for the next 8 days.
  private mutating func apply() async throws {
    let applied = try await run("plan", "--apply", bench.path("system.json"))
    if applied.status != 0 { fail("plan --apply: \(applied)") }
    let system = try Document(json: String(contentsOf: bench.url("system.json"), encoding: .utf8))
    coming = [:]
    for request in system["pending"]?.list ?? [] {
      guard let title = request["title"]?.text, titles.contains(title),
        let trigger = request["trigger"]?.text.flatMap({ RequestTrigger($0) })
      else { continue }
      var last = now
      let first = request["fireAt"]?.text.flatMap { Instant(rfc3339: $0) }
      while let next = trigger.nextFire(after: last, in: zone, countedFrom: first),
        next <= now.later(8 * 86_400)
      {
        coming[title, default: []].append(next)
        last = next
      }
    }
    for title in coming.keys { coming[title]?.sort() }
  }

  // MARK: - Sentences

  /// Compares what a verb said.
  private mutating func check(_ answer: Answer) {
    for line in answer.output.split(separator: "\n") {
      if let part = line.firstMatch(of: /^Added (.+?): .*; it next fires on (.+)$/) {
        let title = String(part.1)
        expect(coming[title]?.first.map(text) == String(part.2), String(line), title)
      } else if let part = line.firstMatch(
        of: /^(.+?) \(.+\) is snoozed until (.+?)(?:\.|, in .*)$/)
      {
        let title = String(part.1)
        let ends = line.firstMatch(of: /when they end, (.+)\.$/)
        let end = String(ends?.1 ?? part.2)
        expect((coming[title] ?? []).map(text).contains(end), String(line), title)
      }
    }
  }

  /// Compares `today`, `week`, `pending` and `explain`.
  private mutating func checkViews() async throws {
    for habit in try await json("today")["habits"]?.list ?? [] {
      let title = habit["title"]?.text ?? ""
      let next = habit["next"]?["fireAt"]?.text.flatMap { Instant(rfc3339: $0) }
      expect(next == coming[title]?.first, "today: \(habit)", title)
    }
    for habit in try await json("week")["habits"]?.list ?? [] {
      let title = habit["title"]?.text ?? ""
      for day in habit["days"]?.list ?? [] {
        let first = day["fireAt"]?.text.flatMap { Instant(rfc3339: $0) }
        let held = coming[title]?.first { date(of: $0) == day["date"]?.text }
        expect(first == held, "week: \(day)", title)
      }
    }
    let pending = try await json("pending")["pending"]?.list.compactMap { $0["fireAt"]?.text } ?? []
    for fireAt in pending.compactMap({ Instant(rfc3339: $0) }) {
      sentences += 1
      if !coming.values.joined().contains(fireAt), fireAt <= now.later(8 * 86_400) {
        fail("pending: nothing fires at \(text(fireAt))")
      }
    }
    if let title = titles.randomElement(using: &random) { try await checkExplanation(of: title) }
    try await checkPast()
  }

  private mutating func checkExplanation(of title: String) async throws {
    for day in ["today", "tomorrow"] {
      let occurrences = try await json("explain", title, "--on", day)["occurrences"]?.list ?? []
      let planned = occurrences.filter { $0["reason"]?.text == "planned" }
      let planNames = Set(planned.compactMap { $0["fireAt"]?.text })
      for occurrence in occurrences {
        guard let fireAt = occurrence["fireAt"]?.text, let at = Instant(rfc3339: fireAt), at > now
        else { continue }
        let isPlanned = occurrence["reason"]?.text == "planned"
        guard isPlanned || !planNames.contains(fireAt) else { continue }
        // A deferred reminder may fire at the same time for another occurrence.
        guard isPlanned || occurrence["reason"]?.text != "deferred" else { continue }
        let fires = coming[title]?.contains(at) ?? false
        expect(fires == isPlanned, "explain \(day): \(occurrence)", title)
      }
    }
  }

  /// Compares what fired since the last time with the receipts.
  private mutating func checkPast() async throws {
    let fired = past
    past = []
    guard !fired.isEmpty else { return }
    let receipts = try await json("receipts", "list", "--limit", "1000")["receipts"]?.list ?? []
    let said = Set(
      receipts.filter { ["delivered", "acted"].contains($0["state"]?.text) }
        .compactMap { $0["fireAt"]?.text.flatMap { Instant(rfc3339: $0) } })
    for (title, at) in fired {
      expect(said.contains(at), "fired at \(text(at)), but receipts do not say so", title)
    }
  }

  private mutating func expect(_ isTrue: Bool, _ sentence: String, _ title: String) {
    sentences += 1
    if !isTrue {
      fail("\(title): \(sentence); the system: \((coming[title] ?? []).prefix(4).map(text))")
    }
  }

  private mutating func fail(_ text: String) { falsehoods.append("\(self.text(now)): \(text)") }

  // MARK: - Running

  @discardableResult
  private func run(_ arguments: String...) async throws -> Answer { try await run(arguments) }

  private func run(_ arguments: [String]) async throws -> Answer {
    try await bench.start(
      arguments, now: now.rfc3339(offsetSeconds: 0), zone: zone.identifier
    ).answer()
  }

  private func json(_ arguments: String...) async throws -> Document {
    try await run(arguments + ["--json"]).document()
  }

  private func events() async throws -> Int? { try await json("status")["events"]?.number }

  /// `Mon 23 Nov 17:00`.
  private func text(_ instant: Instant) -> String { format("EEE d MMM HH:mm", instant) }

  private func date(of instant: Instant) -> String { format("yyyy-MM-dd", instant) }

  private func format(_ pattern: String, _ instant: Instant) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = zone
    formatter.dateFormat = pattern
    return formatter.string(from: Date(timeIntervalSince1970: Double(instant.milliseconds) / 1_000))
  }
}

extension Instant {
  fileprivate func later(_ seconds: Int) -> Instant {
    Instant(milliseconds: milliseconds + Int64(seconds) * 1_000)
  }
}
