import Carillon
import CarillonModel
import CarillonTesting
import Foundation
import Testing

/// What is recorded of repeating requests on a device that travels.
///
/// The person dismisses each alert, so that the system's screen gives no information.
struct ZoneHistoryTests {
  private struct Traveller {
    let store: Store
    let system: StandInScheduler
    let clock: ManualClock
    let place: LifeZone

    func travel(to name: String, at moment: String) async throws {
      clock.set(moment)
      place.zone = try #require(TimeZone(identifier: name))
      await system.travel(to: place.zone)
    }

    /// Lets the person look at the queue.
    func look(at moment: String) async throws {
      clock.set(moment)
      _ = try await store.plan()
    }

    /// - Returns: What is recorded as submitted to the system, and when it fired.
    func apply(at moment: String) async throws -> [String] {
      clock.set(moment)
      for shown in await system.delivered() { await system.dismiss(shown.id) }
      let position = try store.lastPosition()
      try await store.apply(to: system)
      return try await store.facts(after: position).compactMap { fact in
        guard case .occurrence(let occurrence) = fact.subject, let fireAt = fact.fireAt,
          fireAt <= clock.now
        else { return nil }
        return "\(occurrence.nominal) at \(fireAt.text)"
      }
    }
  }

  /// Runs a body with a phone in Berlin whose system repeats one reminder.
  private func withTraveller(
    daily time: TimeOfDay, from moment: String, _ body: (Traveller) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      let clock = ManualClock(moment)
      let place = LifeZone(try #require(TimeZone(identifier: "Europe/Berlin")))
      let store = try await Store.create(
        at: directory.appending(path: "phone"), replica: "phone",
        options: StoreOptions(clock: { clock.now }, zone: { place.zone }))
      try await store.setPermission(SimulatedLife.granted)
      try await store.setAlerts(true)
      try await store.add(Habit("Pills", .daily(at: [time])))
      let system = StandInScheduler(clock: clock, zone: place.zone)
      let given = try await store.apply(to: system)
      #expect(given.insertions.map(\.repeats) == [true])
      try await body(Traveller(store: store, system: system, clock: clock, place: place))
      await store.close()
    }
  }

  @Test("West and back between two runs: only reminders that fired there are recorded")
  func westAndBack() async throws {
    try await withTraveller(daily: "17:00", from: "2026-06-01T08:00:00Z") { phone in
      try await phone.travel(to: "America/Los_Angeles", at: "2026-06-01T10:00:00Z")
      try await phone.look(at: "2026-06-01T10:30:00Z")
      try await phone.travel(to: "Europe/Berlin", at: "2026-06-02T16:00:00Z")
      // 17:00 of the 2nd passed in Berlin at 15:00Z, when the phone was elsewhere.
      #expect(
        try await phone.apply(at: "2026-06-02T16:30:00Z")
          == ["2026-06-01T17:00 at 2026-06-02T00:00:00Z"])
      #expect(await phone.system.ringTimes == ["2026-06-02T00:00:00Z"])
    }
  }

  @Test("East and back between two runs: reminders that fired there are recorded and do not repeat")
  func eastAndBack() async throws {
    try await withTraveller(daily: "04:00", from: "2026-06-01T18:00:00Z") { phone in
      try await phone.travel(to: "Asia/Tokyo", at: "2026-06-01T18:10:00Z")
      try await phone.look(at: "2026-06-01T18:30:00Z")
      try await phone.look(at: "2026-06-01T19:30:00Z")
      try await phone.travel(to: "Europe/Berlin", at: "2026-06-01T20:00:00Z")
      #expect(
        try await phone.apply(at: "2026-06-01T20:30:00Z")
          == ["2026-06-02T04:00 at 2026-06-01T19:00:00Z"])
      phone.clock.set("2026-06-03T03:00:00Z")
      #expect(
        await phone.system.ringTimes == ["2026-06-01T19:00:00Z", "2026-06-03T02:00:00Z"])
    }
  }

  @Test("After a journey, the time before it counts in the zone in which the phone was seen")
  func oneWay() async throws {
    try await withTraveller(daily: "17:00", from: "2026-06-01T08:00:00Z") { phone in
      try await phone.look(at: "2026-06-02T09:00:00Z")
      // There 17:00 of the 2nd was at 08:00Z.
      try await phone.travel(to: "Asia/Tokyo", at: "2026-06-02T10:00:00Z")
      #expect(
        try await phone.apply(at: "2026-06-02T10:00:00Z")
          == ["2026-06-01T17:00 at 2026-06-01T15:00:00Z"])
      #expect(await phone.system.ringTimes == ["2026-06-01T15:00:00Z"])
      #expect(
        try await phone.apply(at: "2026-06-03T09:00:00Z")
          == ["2026-06-03T17:00 at 2026-06-03T08:00:00Z"])
    }
  }

  @Test("After a journey at an unknown time, only what fired in both zones is recorded")
  func unknown() async throws {
    try await withTraveller(daily: "17:00", from: "2026-06-01T08:00:00Z") { phone in
      try await phone.travel(to: "Asia/Tokyo", at: "2026-06-01T10:00:00Z")
      // It fired at 08:00Z of the 2nd and 3rd. For the 1st and 3rd this is unknown.
      #expect(
        try await phone.apply(at: "2026-06-03T10:00:00Z")
          == ["2026-06-02T17:00 at 2026-06-02T15:00:00Z"])
    }
  }
}
