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
  /// What some lives said.
  struct Tally: Sendable, CustomStringConvertible {
    var lives = 0
    var acts = 0
    /// The number of sentences that were compared.
    var sentences = 0
    /// The sentences that are not true.
    var falsehoods: [String] = []

    static func += (total: inout Tally, life: Tally) {
      total.lives += life.lives
      total.acts += life.acts
      total.sentences += life.sentences
      total.falsehoods += life.falsehoods
    }

    var description: String {
      "\(lives) lives, \(acts) acts, \(sentences) sentences, \(falsehoods.count) false"
    }
  }

  private(set) var tally = Tally()
  private let bench: Workbench
  private let zone: TimeZone
  private let texts: DateFormatter
  private let dates: DateFormatter
  var random: SeededGenerator
  private(set) var now: Instant
  var titles: [String] = []
  /// The firings that the system holds for the next 8 days, by title, each list in order.
  private(set) var coming: [String: [Instant]] = [:]
  /// The firings so far, by title.
  private(set) var fired: [String: Set<Instant>] = [:]
  /// The firings since the last look into the past.
  var past: [(title: String, at: Instant)] = []

  private static let places = [
    ("Europe/Berlin", "2026-10-23T06:00:00Z"), ("America/New_York", "2026-10-30T11:00:00Z"),
    ("Asia/Tokyo", "2026-11-23T00:00:00Z"), ("Australia/Lord_Howe", "2026-10-02T21:00:00Z"),
  ]

  /// Lives through some acts; an error ends the life and counts as a falsehood.
  static func live(seed: UInt64, acts: Int) async -> Tally {
    do {
      var life = try SpokenLife(seed: seed)
      do {
        try await life.live(acts: acts)
      } catch {
        life.fail("\(error)")
      }
      return life.tally
    } catch {
      return Tally(lives: 1, falsehoods: ["\(error)"])
    }
  }

  private init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    let place = random.pick(Self.places)
    zone = TimeZone(identifier: place.0) ?? .gmt
    now = Instant(rfc3339: place.1) ?? Instant(milliseconds: 0)
    texts = Self.formatter("EEE d MMM HH:mm", zone)
    dates = Self.formatter("yyyy-MM-dd", zone)
    bench = try Workbench()
    tally.lives = 1
  }

  private mutating func live(acts: Int) async throws {
    try await run("init", "--replica", "phone")
    try await run("permission", "grant")
    try await run("alerts", "on")
    for _ in 0..<acts {
      pass(seconds: random.pick([60, 900, 5_400, 14_400, 36_000]))
      let answer = try await act()
      tally.acts += 1
      try await apply()
      check(answer)
      try await checkViews()
    }
  }

  // MARK: - The system

  /// Moves the clock; the system fires what is due.
  private mutating func pass(seconds: Int) {
    let next = now.later(seconds)
    for (title, instants) in coming {
      for at in instants where at > now && at <= next {
        past.append((title, at))
        fired[title, default: []].insert(at)
      }
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
        next <= horizon
      {
        coming[title, default: []].append(next)
        last = next
      }
    }
    for title in coming.keys { coming[title]?.sort() }
  }

  /// The last instant of what is read from the system.
  var horizon: Instant { now.later(8 * 86_400) }

  // MARK: - Judging

  /// Counts a sentence about a habit, which may be false.
  mutating func expect(_ isTrue: Bool, _ sentence: @autoclosure () -> String, _ title: String) {
    tally.sentences += 1
    if !isTrue {
      fail("\(title): \(sentence()); the system: \((coming[title] ?? []).prefix(4).map(text))")
    }
  }

  mutating func fail(_ text: String) { tally.falsehoods.append("\(self.text(now)): \(text)") }

  // MARK: - Running

  @discardableResult
  func run(_ arguments: String...) async throws -> Answer { try await run(arguments) }

  func run(_ arguments: [String]) async throws -> Answer {
    try await bench.start(
      arguments, now: now.rfc3339(offsetSeconds: 0), zone: zone.identifier
    ).answer()
  }

  func json(_ arguments: String...) async throws -> Document {
    try await run(arguments + ["--json"]).document()
  }

  /// `Mon 23 Nov 17:00`.
  func text(_ instant: Instant) -> String { texts.string(from: Date(instant)) }

  /// `2026-11-23`.
  func date(of instant: Instant) -> String { dates.string(from: Date(instant)) }

  /// The date of an instant, from one start of the day to the next.
  func date(of instant: Instant, from dayStart: String) -> String {
    let isOfNight = text(instant).suffix(5) < dayStart
    return date(of: isOfNight ? Instant(milliseconds: instant.milliseconds - 43_200_000) : instant)
  }

  private static func formatter(_ format: String, _ zone: TimeZone) -> DateFormatter {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = zone
    formatter.dateFormat = format
    return formatter
  }
}

extension Instant {
  fileprivate func later(_ seconds: Int) -> Instant {
    Instant(milliseconds: milliseconds + Int64(seconds) * 1_000)
  }
}

extension Date {
  fileprivate init(_ instant: Instant) {
    self.init(timeIntervalSince1970: Double(instant.milliseconds) / 1_000)
  }
}
