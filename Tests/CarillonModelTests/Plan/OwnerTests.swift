import CarillonModel
import Testing

/// The device that delivers a habit's notifications.
@Suite struct OwnerTests {
  private static let now = instant("2026-11-23T12:00Z")
  private static let hour: Int64 = 3_600_000

  /// A device that plans a habit, next to another device.
  private func fixture(
    _ own: Device.Role, beside other: Device.Role, owner: Habit.Owner = .phoneFirst,
    _ change: (inout Device) -> Void = { _ in }
  ) -> PlanFixture {
    var habit = Habit("Walk", .daily(at: ["17:00"]))
    habit.owner = owner
    var fixture = PlanFixture("UTC", habit)
    fixture.state.devices[PlanFixture.device]?.description = description(own)
    var device = Device(replica: ReplicaID(high: 9, low: 9))
    device.description = description(other)
    device.describedBy = EventID(words: (UInt64(Self.now.milliseconds) << 16, 0, 0, 0))
    device.permission.status = .authorized
    device.alerts.isOn = true
    device.lastSeen = Self.now
    change(&device)
    fixture.state.devices[device.replica] = device
    return fixture
  }

  private func description(_ role: Device.Role) -> DeviceDescription {
    DeviceDescription(
      name: role.rawValue, role: role, zone: "UTC", zoneDataVersion: "", capacity: 64)
  }

  private func plans(_ fixture: PlanFixture) -> Bool {
    !fixture.planner(at: Self.now).plan().requests.isEmpty
  }

  @Test("The phone delivers before the watch, unless the habit's owner says otherwise")
  func roles() throws {
    #expect(plans(fixture(.phone, beside: .watch)))
    let watch = fixture(.watch, beside: .phone)
    #expect(!plans(watch))
    let habit = try #require(watch.state.habits.keys.first)
    let planner = watch.planner(at: Self.now)
    #expect(planner.explain(habit, on: "2026-11-23").map(\.reason) == [.otherDevice])
    #expect(planner.explain(habit, on: "2026-11-22").map(\.reason) == [.past])
    #expect(plans(fixture(.watch, beside: .phone, owner: .both)))
    #expect(plans(fixture(.watch, beside: .phone, owner: .watch)))
    #expect(!plans(fixture(.phone, beside: .watch, owner: .watch)))
    #expect(!plans(fixture(.desktop, beside: .watch, owner: .phone)))
    #expect(plans(fixture(.tablet, beside: .watch)))
    #expect(!plans(fixture(.desktop, beside: .watch)))
    #expect(!plans(fixture(.server, beside: .watch, owner: .both)))
    #expect(plans(fixture(.watch, beside: .server)))
    // Between two phones, the lower replica ID delivers.
    #expect(plans(fixture(.phone, beside: .phone)))
  }

  @Test("A phone with timestamps years ahead is counted on until its published coverage ends")
  func ahead() {
    func takesOver(seen hours: Int64, coverage: String?) -> Bool {
      plans(
        fixture(.watch, beside: .phone) {
          $0.lastSeen = Instant(milliseconds: Self.now.milliseconds + hours * Self.hour)
          $0.coverageUntil = coverage.map(instant)
        })
    }
    #expect(!takesOver(seen: 26, coverage: nil))
    #expect(takesOver(seen: 30_000, coverage: nil))
    #expect(!takesOver(seen: 30_000, coverage: "2026-11-24T12:00Z"))
    #expect(takesOver(seen: 30_000, coverage: "2026-11-23T11:00Z"))
  }

  @Test("A retired device is not waited for, and plans nothing itself")
  func retired() {
    let covered = fixture(.watch, beside: .phone) {
      $0.coverageUntil = instant("2026-11-30T12:00Z")
      $0.retiredSince = Self.now
    }
    #expect(plans(covered))
    #expect(covered.planner(at: Self.now).deliverer(.phoneFirst) == PlanFixture.device)
    var own = fixture(.phone, beside: .watch)
    own.state.devices[PlanFixture.device]?.retiredSince = Self.now
    #expect(!plans(own))
    #expect(own.planner(at: Self.now).deliverer(.both) == ReplicaID(high: 9, low: 9))
  }

  @Test("What a device submitted counts as delivered only until the device was retired")
  func submittedBeforeRetiring() {
    var device = Device(replica: ReplicaID(high: 9, low: 9))
    device.permission.status = .authorized
    device.retiredSince = Self.now
    let later = Instant(milliseconds: Self.now.milliseconds + 60_000)
    for (fireAt, expected) in [
      (Instant(milliseconds: Self.now.milliseconds - 1), Receipt.State.presumed),
      (Self.now, .submitted),
    ] {
      #expect(Receipt.State(.submitted, fireAt: fireAt, now: later, on: device) == expected)
    }
    #expect(Receipt.State(.delivered, fireAt: Self.now, now: later, on: device) == .delivered)
  }

  @Test("The watch takes over from a phone that is blocked or has not been seen for 48 hours")
  func takeover() {
    #expect(plans(fixture(.watch, beside: .phone) { $0.permission.status = .denied }))
    #expect(plans(fixture(.watch, beside: .phone) { $0.alerts.isOn = false }))
    #expect(plans(fixture(.watch, beside: .phone) { $0.lastSeen = nil }))
    let seen = Instant(milliseconds: Self.now.milliseconds - 48 * Self.hour)
    #expect(plans(fixture(.watch, beside: .phone) { $0.lastSeen = seen }))
    let stale = fixture(.watch, beside: .phone) {
      $0.lastSeen = Instant(milliseconds: seen.milliseconds + 1)
    }
    #expect(!plans(stale))
    #expect(stale.planner(at: Self.now).plan().validUntil.milliseconds == Self.now.milliseconds + 1)
    // The requests that the phone submitted still fire.
    let covered = fixture(.watch, beside: .phone) {
      $0.lastSeen = seen
      $0.coverageUntil = Instant(milliseconds: Self.now.milliseconds + 1)
    }
    #expect(!plans(covered))
    var patient = fixture(.watch, beside: .phone) { $0.lastSeen = seen }
    patient.store.staleHours = 49
    #expect(!plans(patient))
  }

  @Test("A replica with a successor is not counted on, unless it has written since")
  func predecessors() {
    let naming = Self.now.milliseconds
    func watch(phoneSeen milliseconds: Int64) -> PlanFixture {
      var fixture = fixture(.watch, beside: .phone) {
        $0.lastSeen = Instant(milliseconds: milliseconds)
      }
      var newer = Device(replica: ReplicaID(high: 9, low: 10))
      newer.description = description(.server)
      newer.description?.predecessor = ReplicaID(high: 9, low: 9)
      newer.describedBy = EventID(words: (UInt64(naming) << 16, 0, 0, 0))
      fixture.state.devices[newer.replica] = newer
      return fixture
    }
    #expect(plans(watch(phoneSeen: naming)))
    #expect(!plans(watch(phoneSeen: naming + 1)))
  }

  @Test("A device that was replaced delivers while no other one is counted on")
  func replaced() {
    let naming = Self.now.milliseconds
    func replaced(_ change: (inout Device) -> Void) -> PlanFixture {
      var fixture = fixture(.phone, beside: .phone) {
        $0.description?.predecessor = PlanFixture.device
        change(&$0)
      }
      fixture.state.devices[PlanFixture.device]?.lastSeen = Instant(milliseconds: naming)
      return fixture
    }
    #expect(!plans(replaced { _ in }))
    #expect(plans(replaced { $0.retiredSince = Self.now }))
    let stale = Instant(milliseconds: naming - 48 * Self.hour)
    #expect(plans(replaced { $0.lastSeen = stale }))
    // The new one wrote with a clock that is days ahead, so nothing tells when it was in use.
    let ahead = replaced { $0.lastSeen = Instant(milliseconds: naming + 60 * Self.hour) }
    #expect(plans(ahead))
    #expect(ahead.planner(at: Self.now).deliverer(.phoneFirst) == PlanFixture.device)
  }

  @Test("A blocked device still plans its queue")
  func blocked() {
    var phone = fixture(.phone, beside: .watch)
    phone.state.devices[PlanFixture.device]?.permission.status = .denied
    #expect(plans(phone))
    #expect(phone.planner(at: Self.now).plan().blocked == .denied)
  }
}
