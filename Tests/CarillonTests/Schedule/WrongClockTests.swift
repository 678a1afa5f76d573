import Carillon
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

/// A device whose clock was wrong for one run fires reminders as before once it is right.
struct WrongClockTests {
  private static let day: Int64 = 86_400

  /// Runs at 07:00 and 19:00 UTC, and once in between with a wrong clock.
  ///
  /// Every habit has a reminder at 17:00 UTC.
  private func play(
    wrongBy error: Int64, after hours: Int64, _ habits: [Habit], seed: UInt64 = 0
  ) async throws {
    try await withSystem { store, system, clock in
      clock.set("2026-11-23T06:00:00Z")
      for habit in habits { try await store.add(habit) }
      clock.advance(seconds: 3_600)
      try await store.apply(to: system)
      clock.advance(seconds: hours * 3_600)
      try await store.apply(to: system)
      clock.advance(seconds: error)
      try await store.apply(to: system)
      clock.advance(seconds: -error)
      // What it fired and was given by the wrong clock is over.
      let wrong = await system.firings.count
      try await store.apply(to: system)
      let start = clock.now
      clock.set("2026-11-25T07:00:00Z")
      for _ in 0..<9 {
        try await store.apply(to: system)
        clock.advance(seconds: Self.day / 2)
        try await store.apply(to: system)
        clock.advance(seconds: Self.day / 2)
      }
      let firings = await system.firings.dropFirst(wrong)
      let first = try #require(Instant(rfc3339: "2026-11-23T16:00:00Z"))
      for day in 0..<10 {
        let at = Instant(milliseconds: first.milliseconds + Int64(day) * Self.day * 1_000)
        guard at > start else { continue }
        let count = firings.count { $0.at == at }
        #expect(count == habits.count, "seed \(seed), error \(error) s: \(count) fired at \(at)")
      }
      #expect(firings.allSatisfy { $0.at > start }, "seed \(seed), error \(error) s")
    }
  }

  private var habits: [Habit] {
    [
      Habit("Tea", .daily(at: ["17:00"])),
      Habit("Walk", .daily(at: ["17:00"], unless: .done)),
      Habit("Read", .weekly(on: Set(Weekday.allCases), at: ["17:00"])),
    ].map { habit in
      var habit = habit
      // Nobody uses the app in this test.
      habit.schedules[0].stopAfterDays = habit.title == "Walk" ? 0 : nil
      return habit
    }
  }

  @Test(
    "One run with a wrong clock suppresses nothing later, however far it is ahead or behind",
    arguments: [1, 30, 400, 4_000].flatMap { [$0, -$0] } as [Int64])
  func oneRun(days: Int64) async throws {
    try await play(wrongBy: days * Self.day, after: 13, habits)
  }

  @Test(
    "Random clock errors suppress nothing later", arguments: 1...2 as ClosedRange<UInt64>)
  func random(seed: UInt64) async throws {
    var chance = SeededGenerator(seed: seed)
    let sign: Int64 = Bool.random(using: &chance) ? 1 : -1
    let longest: Int64 =
      [Self.day, 10 * Self.day, 500 * Self.day].randomElement(using: &chance) ?? 1
    let error = sign * (3_700 + Int64.random(in: 0...longest, using: &chance))
    try await play(
      wrongBy: error, after: Int64.random(in: 1...40, using: &chance), habits, seed: seed)
  }

  @Test("A delivery is recorded once, and again when it is delivered at its own time")
  func recordedOnce() async throws {
    try await withSystem { store, system, clock in
      try await store.add(Habit("Tea", .daily(at: ["17:00"])))
      try await store.apply(to: system)
      clock.advance(seconds: 30 * Self.day)
      func delivered() async throws -> Int {
        let before = try store.lastPosition()
        try await store.apply(to: system)
        return try await store.facts(after: before).count { $0.state == .delivered }
      }
      // Of all that fired while the clock ran ahead, the system shows the last, of 22 December.
      #expect(try await delivered() == 1)
      #expect(try await delivered() == 0)
      clock.set("2026-11-23T09:00:00Z")
      #expect(try await delivered() == 0)
      for day in ["2026-11-23", "2026-12-22"] {
        clock.set("\(day)T17:00:00Z")
        #expect(try await delivered() == 1, "\(day)")
        #expect(try await delivered() == 0, "\(day)")
        #expect(try await store.apply(to: system).written.events.isEmpty)
      }
    }
  }

  @Test("An event contains its own time if the log's clock is ahead of this device's")
  func ownTime() async throws {
    try await withPhoneAndWatch { phone, watch, clock in
      var habit = Habit("Stand up", .daily(at: ["10:00", "12:00"]))
      habit.schedules[0].doneWithinSeconds = 3_000
      try await phone.add(habit)
      // The watch is two hours ahead when it writes.
      clock.advance(seconds: 7_200)
      try await watch.recordActivity()
      clock.set("2026-11-23T08:50:00Z")
      try await phone.sync(with: watch)
      let written = try await phone.markDone(habit.id)
      let entry = try #require(written.events.first { $0.kind == .entryRecorded })
      #expect(entry.id.timestamp.milliseconds > clock.now.milliseconds)
      guard case .entryRecorded(let recorded)? = try await phone.event(entry.id)?.payload else {
        Issue.record("no entry was recorded")
        return
      }
      #expect(recorded.at == clock.now)
      let fires = try await phone.plan().requests.compactMap(\.fireAt).prefix(2)
      #expect(
        fires.map { $0.rfc3339(offsetSeconds: 0) } == [
          "2026-11-23T11:00:00Z", "2026-11-24T09:00:00Z",
        ])
      for payload in try await payloads(phone, clock) {
        #expect(payload.dated(clock.now) == nil, "\(payload) does not say when")
      }
      // If the device's own clock is ahead, the event's timestamp is right, and no time is written.
      clock.set("2026-11-24T08:50:00Z")
      for payload in try await payloads(phone, clock) {
        #expect(payload.dated(clock.now) != nil || payload.hasNoTime, "\(payload)")
      }
    }
  }

  /// Returns a payload of each kind that may contain its own time.
  private func payloads(_ store: Store, _ clock: ManualClock) async throws -> [Payload] {
    let before = try store.lastPosition()
    // A different value than before, since a known value is not written.
    let isAlert = try await store.device().permission.options == .alert
    try await store.setPermission(
      Permission(status: .authorized, options: isAlert ? [.alert, .badge] : .alert))
    try await store.setAlerts(true)
    let system = StandInScheduler(clock: clock, zone: .gmt)
    try await store.apply(to: system)
    let id = try #require(try await store.plan().requests.first?.id)
    try await store.recordReceipt(.dismissed, of: .request(id))
    try await store.respond(to: .request(id), action: .custom("later"))
    _ = try await store.receive(Array(#"{"aps":{"alert":"Hi \#(clock.now)"}}"#.utf8))
    let payloads = try await store.payloads(after: before)
    let kinds = Set(payloads.map(\.typeName))
    #expect(
      kinds.isSuperset(of: [
        "permission.changed", "plan.submitted", "receipt.advanced", "response.recorded",
        "push.received",
      ]), "\(kinds)")
    return payloads
  }
}

extension Payload {
  /// Whether the kind never contains a time of its own.
  fileprivate var hasNoTime: Bool {
    switch self {
    case .entryRecorded, .receiptAdvanced, .responseRecorded, .planSubmitted, .permissionChanged,
      .pushReceived:
      false
    default: true
    }
  }
}
