import Carillon
import CarillonModel
import CarillonTesting
import Foundation
import Testing

/// What a watch fires if the phone has not been heard of for days.
@Suite struct TakeoverTests {
  /// A phone and a watch that travel together, each with its system.
  private struct Pair {
    let phone: Store
    let watch: Store
    let phoneSystem: StandInScheduler
    let watchSystem: StandInScheduler
    let place: LifeZone

    func travel(to name: String) async throws {
      let zone = try #require(TimeZone(identifier: name))
      place.zone = zone
      for system in [phoneSystem, watchSystem] { await system.travel(to: zone) }
    }
  }

  private func withPair(
    _ zone: String, _ clock: ManualClock, _ body: (Pair) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      let place = LifeZone(try #require(TimeZone(identifier: zone)))
      let options = StoreOptions(clock: { clock.now }, zone: { place.zone })
      let phone = try await Store.create(
        at: directory.appending(path: "phone"), replica: "phone", options: options)
      let watch = try await Store.clone(
        phone, at: directory.appending(path: "watch"), replica: "watch", role: .watch,
        options: options
      ).store
      for store in [phone, watch] {
        try await store.setPermission(SimulatedLife.granted)
        try await store.setAlerts(true)
      }
      try await body(
        Pair(
          phone: phone, watch: watch,
          phoneSystem: StandInScheduler(clock: clock, zone: place.zone),
          watchSystem: StandInScheduler(clock: clock, zone: place.zone), place: place))
      await phone.close()
      await watch.close()
    }
  }

  // The phone holds the reminders of its horizon and fires them wherever it is. The watch therefore
  // leaves to it the reminders whose time passed in Tokyo, and starts with the first one that the
  // phone does not hold.
  @Test(
    "After travel west, the watch takes over what the phone does not hold, and nothing fires twice")
  func takenWest() async throws {
    let clock = ManualClock("2026-05-31T02:00:00Z")
    try await withPair("Asia/Tokyo", clock) { pair in
      try await pair.phone.set([.horizonDays: "3"])
      try await pair.phone.add(Habit("Pills", .daily(at: ["20:00"], unless: .done)))
      let given = try await pair.phone.apply(to: pair.phoneSystem)
      #expect(
        given.insertions.map(\.nominal.description)
          == ["2026-05-31T20:00", "2026-06-01T20:00", "2026-06-02T20:00"])
      try await pair.phone.sync(with: pair.watch)
      try await pair.watch.apply(to: pair.watchSystem)

      clock.set("2026-06-01T20:00:00Z")
      try await pair.travel(to: "America/Los_Angeles")
      // 20:00 of the 2nd was at 11:00Z in Tokyo and is at 03:00Z here. The phone is not relied on
      // after the end of the 2nd in Tokyo, 15:00Z.
      clock.set("2026-06-02T16:00:00Z")
      try await pair.watch.apply(to: pair.watchSystem)
      clock.set("2026-06-04T10:00:00Z")
      #expect(
        await pair.phoneSystem.ringTimes
          == ["2026-05-31T11:00:00Z", "2026-06-01T11:00:00Z", "2026-06-03T03:00:00Z"])
      #expect(await pair.watchSystem.ringTimes == ["2026-06-04T03:00:00Z"])
    }
  }

  @Test("After travel west, reminders owned by both devices fire on both")
  func both() async throws {
    let clock = ManualClock("2026-05-31T12:00:00Z")
    try await withPair("Asia/Tokyo", clock) { pair in
      var pills = Habit("Pills", .daily(at: ["20:00"], unless: .done))
      pills.owner = .both
      try await pair.phone.add(pills)
      try await pair.phone.sync(with: pair.watch)
      let devices = [(pair.phone, pair.phoneSystem), (pair.watch, pair.watchSystem)]
      for (store, system) in devices { try await store.apply(to: system) }

      clock.set("2026-06-01T08:00:00Z")
      try await pair.travel(to: "America/Los_Angeles")
      try await pair.phone.sync(with: pair.watch)
      for (store, system) in devices { try await store.apply(to: system) }
      // 20:00 passed in Tokyo at 11:00Z and comes here at 03:00Z.
      clock.set("2026-06-01T12:00:00Z")
      for (store, system) in devices { try await store.apply(to: system) }
      clock.set("2026-06-02T10:00:00Z")
      for (_, system) in devices {
        #expect(await system.ringTimes == ["2026-06-02T03:00:00Z"])
      }
    }
  }

  // The watch held the reminders while the phone had no permission, and returned them when it
  // learned of the phone. The phone did not learn of the return before they left.
  @Test("After travel west, the phone fires what a watch held that took over and then yielded")
  func yielded() async throws {
    let clock = ManualClock("2026-05-31T12:00:00Z")
    try await withPair("Asia/Tokyo", clock) { pair in
      try await pair.phone.add(Habit("Pills", .daily(at: ["20:00"], unless: .done)))
      try await pair.phone.setPermission(Permission(status: .denied))
      try await pair.phone.sync(with: pair.watch)
      let given = try await pair.watch.apply(to: pair.watchSystem)
      #expect(given.insertions.count == 7)
      try await pair.phone.setPermission(SimulatedLife.granted)
      try await pair.phone.sync(with: pair.watch)
      let taken = try await pair.watch.apply(to: pair.watchSystem)
      #expect(taken.removals.count == 7)
      try await pair.phone.apply(to: pair.phoneSystem)

      clock.set("2026-06-01T08:00:00Z")
      try await pair.travel(to: "America/Los_Angeles")
      try await pair.phone.apply(to: pair.phoneSystem)
      // 20:00 passed in Tokyo at 11:00Z and comes here at 03:00Z.
      clock.set("2026-06-01T12:00:00Z")
      try await pair.phone.apply(to: pair.phoneSystem)
      clock.set("2026-06-02T10:00:00Z")
      #expect(await pair.phoneSystem.ringTimes == ["2026-06-02T03:00:00Z"])
      #expect(await pair.watchSystem.ringTimes.isEmpty)
    }
  }

  @Test("After a sync, a phone that wrote nothing for days reminds, and the watch does not")
  func backAfterDays() async throws {
    let clock = ManualClock("2026-11-23T05:00:00Z")
    try await withPair("Europe/Berlin", clock) { pair in
      let pills = try await pair.phone.add(Habit("Pills", .daily(at: ["08:00"])))
      try await pair.phone.sync(with: pair.watch)
      clock.set("2026-11-26T08:00:00Z")
      try await pair.watch.markDone(pills.id)
      #expect(try await !pair.watch.plan().requests.isEmpty)

      let report = try await pair.phone.sync(with: pair.watch)
      #expect(report.eventsSent == 1)
      for (store, system) in [(pair.phone, pair.phoneSystem), (pair.watch, pair.watchSystem)] {
        try await store.apply(to: system)
      }
      clock.set("2026-11-27T08:00:00Z")
      #expect(await pair.phoneSystem.ringTimes == ["2026-11-27T07:00:00Z"])
      #expect(await pair.watchSystem.ringTimes.isEmpty)
      // What a device wrote lately needs no other sign.
      try await pair.phone.sync(with: pair.watch)
      #expect(try await pair.phone.sync(with: pair.watch).eventsSent == 0)
    }
  }
}
