import Carillon
import CarillonModel
import CarillonTesting
import Foundation
import Testing

/// The scenarios of the planner's specification that need a store, a system or two devices.
///
/// The tests of each scenario:
///
/// - 1-7, gaps, overlaps, dates missing in a zone, unusual offsets: `PlannerScenarioTests`; all
///   zones in `ZoneWindowTests` and `CivilCalendarTests`.
/// - 11, 16, 18, every third day across a gap, the 31st, weeks that start on another day:
///   `PlannerScenarioTests` and `RecurrenceTests`.
/// - 12, travel: `PlannerScenarioTests`, and here with a system. 14, a fixed zone, and 15, an
///   interval: `PlannerScenarioTests`.
/// - 13, delivered in Tokyo, landed in Los Angeles: `DeliveredOccurrenceTests`, and here with a
///   system.
/// - 19, unless done: `PlannerScenarioTests`, and here with a system. 20, inactivity, and 21,
///   capacity: `PlannerScenarioTests`.
/// - 23, snoozed over midnight, then done: here; the tap alone in `ReceiptTests`.
/// - 25, done on the watch before the phone fires offline: here, `ReceiptTests`,
///   `DeliveredRemovalTests`.
/// - 26, both tap done offline: `ReceiptTests`. 27, snoozed on both: here.
/// - 29, the 1,001st fetched item: `IngestTests`. 30, remote payloads: `PushTests`.
@Suite struct ScenarioTests {
  /// Runs a body with a store on a device that travels, may alert, and has a system.
  private func withTraveller(
    _ zone: String, from start: String,
    _ body: (Store, StandInScheduler, ManualClock, (String) async throws -> Void) async throws ->
      Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      let clock = ManualClock(start)
      let place = LifeZone(try #require(TimeZone(identifier: zone)))
      let store = try await Store.create(
        at: directory.appending(path: "store"), replica: "phone",
        options: StoreOptions(clock: { clock.now }, zone: { place.zone }))
      let system = StandInScheduler(clock: clock, zone: place.zone)
      try await store.setPermission(SimulatedLife.granted)
      try await store.setAlerts(true)
      try await body(store, system, clock) { name in
        let target = try #require(TimeZone(identifier: name))
        place.zone = target
        await system.travel(to: target)
      }
      await store.close()
    }
  }

  @Test(
    "Scenario 12: after travel to Tokyo the system's list follows by itself, without replacements")
  func scenario12() async throws {
    try await withTraveller("Europe/Berlin", from: "2026-05-09T08:00:00Z") {
      store, system, clock, travel in
      try await store.add(Habit("Pills", .daily(at: ["08:00"], unless: .done)))
      let before = try await store.apply(to: system).insertions
      #expect(before.first?.fireAt == Instant(rfc3339: "2026-05-10T06:00:00Z"))
      clock.set("2026-05-09T20:00:00Z")
      try await travel("Asia/Tokyo")
      try await store.recordActivity()
      let applied = try await store.apply(to: system)
      #expect(applied.removals.isEmpty)
      // It is already the 10th there, so the horizon contains one more day.
      #expect(applied.insertions.map(\.nominal.description) == ["2026-05-17T08:00"])
      #expect(
        try await store.plan().requests.first?.fireAt == Instant(rfc3339: "2026-05-09T23:00:00Z"))
      clock.set("2026-05-10T00:00:00Z")
      #expect(await system.ringTimes == ["2026-05-09T23:00:00Z"])
    }
  }

  @Test(
    "Scenario 13: a reminder that fired in Tokyo does not fire again in Los Angeles",
    arguments: [Schedule.Condition.none, .done])
  func scenario13(unless: Schedule.Condition) async throws {
    try await withTraveller("Asia/Tokyo", from: "2026-05-31T12:00:00Z") {
      store, system, clock, travel in
      try await store.add(Habit("Pills", .daily(at: ["08:00"], unless: unless)))
      try await store.apply(to: system)
      clock.set("2026-06-01T10:00:00Z")
      try await travel("America/Los_Angeles")
      try await store.apply(to: system)
      clock.set("2026-06-01T20:00:00Z")
      try await store.apply(to: system)
      clock.set("2026-06-02T20:00:00Z")
      #expect(await system.ringTimes == ["2026-05-31T23:00:00Z", "2026-06-02T15:00:00Z"])
    }
  }

  @Test("A reminder carried west before it fires, fires there when its time comes")
  func takenWest() async throws {
    try await withTraveller("Asia/Tokyo", from: "2026-05-31T02:00:00Z") {
      store, system, clock, travel in
      try await store.add(Habit("Pills", .daily(at: ["20:00"], unless: .done)))
      try await store.apply(to: system)
      clock.set("2026-05-31T08:00:00Z")
      try await travel("America/Los_Angeles")
      // 20:00 was at 11:00Z in Tokyo, and is at 03:00Z here.
      clock.set("2026-05-31T14:00:00Z")
      try await store.apply(to: system)
      #expect(try await store.apply(to: system).written.events.isEmpty)
      clock.set("2026-06-01T10:00:00Z")
      #expect(await system.ringTimes.contains("2026-06-01T03:00:00Z"))
    }
  }

  @Test("Scenario 19: done at 16:00 is one removal; undone at 16:30 is one addition")
  func scenario19() async throws {
    try await withSystem { store, system, clock in
      let habit = try await store.add(Habit("Walk", .daily(at: ["17:00"], unless: .done)))
      #expect(try await store.apply(to: system).insertions.count == 8)
      clock.set("2026-11-23T15:00:00Z")
      try await store.markDone(habit.id)
      let done = try await store.apply(to: system)
      #expect(done.removals.count == 1 && done.insertions.isEmpty)
      #expect(try await store.apply(to: system).written.events.isEmpty)
      clock.set("2026-11-23T15:30:00Z")
      try await store.clear(habit.id)
      let undone = try await store.apply(to: system)
      #expect(undone.removals.isEmpty)
      #expect(undone.insertions.map(\.nominal.description) == ["2026-11-23T17:00"])
      clock.set("2026-11-24T08:00:00Z")
      #expect(await system.ringTimes == ["2026-11-23T16:00:00Z"])
      try await store.recordActivity()
      #expect(
        try await store.apply(to: system).insertions.map(\.nominal.description)
          == ["2026-12-01T17:00"])
    }
  }

  @Test(
    "Scenario 23: snoozed twice to 00:20 and tapped done, the previous day is done",
    arguments: ["00:00", "04:00"])
  func scenario23(dayStart: String) async throws {
    try await withSystem { store, system, clock in
      try await store.set([.dayStart: dayStart])
      let habit = try await store.add(Habit("Read", .daily(at: ["22:00"], unless: .done)))
      try await store.apply(to: system)
      for time in ["2026-11-23T21:20:00Z", "2026-11-23T22:20:00Z"] {
        clock.set(time)
        let snoozed = try await store.snooze(habit.id, for: .seconds(3_600))
        #expect(snoozed.reminder?.occurrence.nominal.description == "2026-11-23T22:00")
        try await store.apply(to: system)
      }
      clock.set("2026-11-23T23:20:30Z")
      #expect(
        await system.ringTimes
          == ["2026-11-23T21:00:00Z", "2026-11-23T22:20:00Z", "2026-11-23T23:20:00Z"])
      let id = try #require(await system.firings.last?.id)
      try await store.respond(to: id, action: .done)
      #expect(try await store.entries(of: habit.id, on: .date("2026-11-23")).count == 1)
      #expect(try await store.entries(of: habit.id, on: .date("2026-11-24")).isEmpty)
      // A tap removes it from the screen.
      await system.dismiss(id)
      let applied = try await store.apply(to: system)
      #expect(applied.removals.isEmpty && applied.badge == 0)
      #expect(try await store.plan().requests.first?.nominal.description == "2026-11-24T22:00")
    }
  }

  @Test(
    "Scenario 23: for done in the app at 00:20, the day start determines which date is done",
    arguments: [("00:00", "2026-11-24"), ("04:00", "2026-11-23")] as [(String, CivilDate)])
  func scenario23InApp(dayStart: String, date: CivilDate) async throws {
    try await withStore { store, clock in
      try await store.set([.dayStart: dayStart])
      let habit = try await store.add(Habit("Read", .daily(at: ["22:00"], unless: .done)))
      clock.set("2026-11-23T23:20:00Z")
      try await store.markDone(habit.id, on: .today)
      #expect(try await store.entries(of: habit.id, on: .date(date)).count == 1)
    }
  }

  @Test(
    "Scenario 25: done on the watch, fired on the phone offline, removed from it after the sync")
  func scenario25() async throws {
    try await withPhoneAndWatch { phone, watch, clock in
      let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
      let system = StandInScheduler(clock: clock, zone: berlin)
      for store in [phone, watch] {
        try await store.setPermission(SimulatedLife.granted)
        try await store.setAlerts(true)
      }
      let habit = try await phone.add(Habit("Walk", .daily(at: ["17:00"], unless: .done)))
      let id = try #require(try await phone.apply(to: system).insertions.first?.id)
      try await phone.sync(with: watch)
      clock.set("2026-11-23T15:50:00Z")
      try await watch.respond(to: .request(id), action: .done)
      clock.set("2026-11-23T16:05:00Z")
      // According to the phone's receipts, the system must have delivered it.
      #expect(
        try await phone.receipts(state: .presumed).map(\.subject.notificationID) == [.request(id)])
      try await phone.sync(with: watch)
      #expect(
        try await phone.receipts().first { $0.subject.notificationID == .request(id) }?.state
          == .acted)
      let applied = try await phone.apply(to: system)
      #expect(applied.deliveredRemovals == [id])
      #expect(await system.ringTimes == ["2026-11-23T16:00:00Z"])
      #expect(await system.delivered().isEmpty)
      #expect(try await phone.entries(of: habit.id).count == 1)
    }
  }

  @Test("Scenario 27: snoozed to 17:30 and earlier to 18:00, both devices use 17:30")
  func scenario27() async throws {
    try await withPhoneAndWatch { phone, watch, clock in
      let habit = try await phone.add(Habit("Walk", .daily(at: ["17:00"], unless: .done)))
      try await phone.sync(with: watch)
      clock.set("2026-11-23T16:04:00Z")
      try await watch.snooze(habit.id, for: .seconds(3_360))
      clock.set("2026-11-23T16:05:00Z")
      try await phone.snooze(habit.id, for: .seconds(1_500))
      try await watch.sync(with: phone)
      let until = try #require(Instant(rfc3339: "2026-11-23T16:30:00Z"))
      for store in [phone, watch] {
        #expect(try await store.explain(habit.id).map(\.fireAt) == [until])
        let first = try #require(try await store.plan().requests.first)
        #expect(first.fireAt == until && first.occurrence.revision == .snoozed(until: until))
      }
      #expect(
        try await phone.plan().requests.map(\.id) == watch.plan().requests.map(\.id))
    }
  }
}
