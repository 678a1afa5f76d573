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
      let night = DayWindow("22:00-07:00")
      #expect(try await store.updateSettings { $0.quietHours = night }.events.count == 2)
      #expect(try await store.updateSettings { $0.quietHours = night }.events.isEmpty)
      #expect(try await store.set([.quietHours: "22:00-07:00"]).events.isEmpty)
      #expect(try await store.settings().quietHours == DayWindow("22:00-07:00"))
      try await store.set([.quietHours: nil])
      #expect(try await store.settings() == StoreSettings())
      await #expect(throws: (any Error).self) { try await store.set([.horizonDays: "0"]) }
      await #expect(throws: (any Error).self) {
        try await store.updateSettings {
          $0.dayStart = "03:00"
          $0.horizonDays = 0
        }
      }
      #expect(try await store.settings().dayStart == .midnight, "all or nothing")
    }
  }

  @Test("Durations are set in whole hours and seconds, within their limits")
  func durations() async throws {
    try await withStore { store, _ in
      try await store.updateSettings { $0.staleAfter = .seconds(2 * 3_600 + 3_599) }
      #expect(try await store.settings().staleAfter == .seconds(7_200))
      for hours in [0, 8_761, -1, .max / 3_600] {
        await #expect {
          try await store.updateSettings { $0.staleAfter = .seconds(hours * 3_600) }
        } throws: {
          ($0 as? StoreError)?.code == .invalidValue && "\($0)".contains("hours from 1 to 8760")
        }
      }
      let rule = try #require(DigestRule(moreThan: 3, within: .seconds(300.5)))
      #expect(rule.period == .seconds(300) && rule.description == "3/300s")
      try await store.updateSettings { $0.digest = rule }
      #expect(try await store.settings().digest == rule)
    }
    for seconds in [-1, 0, 59, 86_401, .max] {
      #expect(DigestRule(moreThan: 3, within: .seconds(seconds)) == nil, "\(seconds) s")
    }
    for count in [-1, 0, 101] {
      #expect(DigestRule(moreThan: count, within: .seconds(60)) == nil, "more than \(count)")
    }
  }

  @Test("The logical date is yesterday until the day starts, for entries, responses and activity")
  func dayStart() async throws {
    try await withStore { store, clock in
      let walk = try await store.add(Habit("Walk", .daily(at: ["02:00"], unless: .done)))
      try await store.set([.dayStart: "04:00"])
      clock.set("2026-11-25T02:30:00Z")
      #expect(try await store.today() == "2026-11-24")
      let written = try await store.markDone(walk.id)
      #expect(written.events.map(\.kind.name).sorted() == ["app.active", "entry.recorded"])
      let state = try await store.state()
      #expect(state.days[walk.id]?.map(\.date) == ["2026-11-24"])
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
