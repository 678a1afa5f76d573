import Carillon
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Testing

/// The settings of a store, in the library.
@Suite struct StoreSettingsTests {
  @Test("A setting applies once it is set, is written once, and can be reset to its default")
  func setting() async throws {
    try await withStore { store, _ in
      #expect(try await store.settings() == StoreSettings())
      #expect(try await store.set(.quietHours, to: "22:00-07:00").events.count == 2)
      #expect(try await store.set(.quietHours, to: "22:00-07:00").events.isEmpty)
      #expect(try await store.settings().quietHours == DayWindow("22:00-07:00"))
      try await store.set(.quietHours, to: nil)
      #expect(try await store.settings() == StoreSettings())
      await #expect(throws: (any Error).self) { try await store.set(.horizonDays, to: "0") }
    }
  }

  @Test("The logical date is yesterday until the day starts, for entries, responses and activity")
  func dayStart() async throws {
    try await withStore { store, clock in
      let walk = try await store.add(Habit("Walk", .daily(at: ["02:00"], unless: .done)))
      try await store.set(.dayStart, to: "04:00")
      clock.set("2026-11-25T02:30:00Z")
      #expect(try await store.today() == "2026-11-24")
      let written = try await store.markDone(walk.id)
      #expect(written.events.map(\.kind.name).sorted() == ["app.active", "entry.recorded"])
      let state = try await store.state()
      #expect(state.days[walk.id]?.keys.sorted() == ["2026-11-24"])
      #expect(state.lastActive == "2026-11-24")
    }
  }

  @Test("Health reports an unknown setting and a replica with different time zone data")
  func health() async throws {
    try await withStore { store, _ in
      #expect(try await store.status().health == [])
      var generator = PayloadGenerator(SeededGenerator(seed: 1))
      let watch = DeviceDescription(
        name: "watch", role: .watch, zone: "Europe/Berlin", zoneDataVersion: "1970a", capacity: 64)
      let server = DeviceDescription(
        name: "server", role: .server, zone: "UTC", zoneDataVersion: "1970a", capacity: 64)
      for payloads: [Payload] in [
        [.deviceDescribed(watch), .settingsSet(SettingsSet(.dayStart, to: "late"))],
        [.deviceDescribed(server)],
      ] {
        var history = EventHistory(.random())
        let run = history.run(try payloads.map { try generator.encode($0) })
        _ = try await store.log.append([run], wallClock: Instant(milliseconds: 0))
      }
      let health = try await store.status().health
      #expect(health.count == 2, "\(health)")
      #expect(health.contains { $0.contains("dayStart") && $0.contains("late") }, "\(health)")
      #expect(health.contains { $0.contains("watch") && $0.contains("1970a") }, "\(health)")
    }
  }
}
