import CarillonModel
import Testing

/// An occurrence that was delivered on any device is not delivered again.
@Suite struct DeliveredOccurrenceTests {
  private static let other = ReplicaID(high: 1, low: 2)

  /// A fixture with a receipt of its habit's first schedule.
  private func fixture(
    _ habit: Habit, in zone: String = "UTC", delivered nominal: CivilDateTime,
    _ state: ReceiptState = .delivered, revision: OccurrenceID.Revision = .first,
    fireAt: Instant? = nil
  ) throws -> PlanFixture {
    var fixture = PlanFixture(zone, habit)
    let schedule = try #require(habit.schedules.first?.id)
    fixture.state.receipts[habit.id] = [
      OccurrenceReceipt(
        OccurrenceID(habit: habit.id, schedule: schedule, nominal: nominal, revision: revision),
        state, fireAt: fireAt,
        replica: Self.other)
    ]
    return fixture
  }

  @Test("Scenario 13: an occurrence that fired in Tokyo does not fire again in Los Angeles")
  func scenario13() throws {
    let habit = Habit("Pills", .daily(at: ["08:00"]))
    let nominal = CivilDateTime(date: "2026-06-01", time: "08:00")
    let fixture = try fixture(habit, in: "America/Los_Angeles", delivered: nominal)
    // Landed at 10:00 UTC. The occurrence fired at 2026-05-31T23:00Z, and the clocks show 08:00
    // again at 15:00Z.
    let plan = fixture.plan(at: "2026-06-01T10:00Z")
    #expect(plan.nominals.first == "2026-06-02T08:00")
    #expect(plan.fires.first == "2026-06-02T15:00Z")
    // A repeating request would also fire on 06-01, so each date has its own request.
    #expect(plan.requests.allSatisfy { !$0.repeats })
    let explained = fixture.planner(at: instant("2026-06-01T10:00Z")).explain(
      habit.id, on: "2026-06-01")
    #expect(explained.map(\.reason) == [.delivered])
    // After that time there is one repeating request again.
    #expect(fixture.plan(at: "2026-06-01T15:00Z").requests.map(\.repeats) == [true])
    #expect(plan.validUntil <= instant("2026-06-01T15:00Z"))
  }

  @Test("A watch removes the request for an occurrence that the phone delivered")
  func watch() throws {
    let habit = Habit("Walk", .daily(at: ["17:00"], unless: .done))
    let nominal = CivilDateTime(date: "2026-11-23", time: "17:00")
    var before = PlanFixture("UTC", habit)
    before.setLastActive("2026-11-23")
    let held = before.plan(at: "2026-11-23T16:59Z").scheduled
    var after = try fixture(habit, delivered: nominal)
    after.setLastActive("2026-11-23")
    let plan = after.plan(at: "2026-11-23T16:59Z")
    let difference = plan.difference(from: held)
    #expect(difference.removals == [held[0].id].compactMap(\.request))
    #expect(difference.insertions.isEmpty)
    #expect(plan.difference(from: plan.scheduled).removals.isEmpty)
  }

  @Test("If both devices deliver a habit, a presumed delivery on the other one suppresses nothing")
  func both() throws {
    var habit = Habit("Pills", .daily(at: ["20:00"], unless: .done))
    let nominal = CivilDateTime(date: "2026-06-01", time: "20:00")
    for owner in [Habit.Owner.both, .phoneFirst] {
      habit.owner = owner
      var fixture = try fixture(
        habit, in: "America/Los_Angeles", delivered: nominal, .submitted,
        fireAt: instant("2026-06-01T11:00Z"))
      fixture.setLastActive("2026-06-01")
      var other = Device(replica: Self.other)
      other.permission = Permission(status: .authorized, options: .alert)
      fixture.state.devices[Self.other] = other
      let first = fixture.plan(at: "2026-06-01T12:00Z").nominals.first
      #expect(first == (owner == .both ? "2026-06-01T20:00" : "2026-06-02T20:00"))
    }
  }

  /// Returns the first occurrence that a phone plans in Los Angeles, after another device received
  /// a request for 20:00 in Tokyo.
  private func first(
    inLosAngelesSince arrival: String, beside role: Device.Role = .watch, in zone: String,
    _ habit: Habit, revision: OccurrenceID.Revision = .first
  ) throws -> String? {
    var fixture = try fixture(
      habit, in: "America/Los_Angeles", delivered: CivilDateTime(date: "2026-06-01", time: "20:00"),
      .submitted, revision: revision, fireAt: instant("2026-06-01T11:00Z"))
    fixture.setLastActive("2026-06-01")
    func description(_ role: Device.Role, _ zone: String) -> DeviceDescription {
      DeviceDescription(name: "", role: role, zone: zone, zoneDataVersion: "", capacity: 64)
    }
    fixture.state.devices[PlanFixture.device]?.description = description(
      .phone, "America/Los_Angeles")
    fixture.state.devices[PlanFixture.device]?.describedBy = EventID(
      words: (UInt64(instant(arrival).milliseconds) << 16, 0, 0, 0))
    var other = Device(replica: Self.other)
    other.permission = Permission(status: .authorized, options: .alert)
    other.description = description(role, zone)
    fixture.state.devices[Self.other] = other
    return fixture.plan(at: "2026-06-01T12:00Z").nominals.first
  }

  @Test("A delivery is not presumed on a watch whose zone the phone had left by then")
  func left() throws {
    let habit = Habit("Pills", .daily(at: ["20:00"], unless: .done))
    let (today, tomorrow) = ("2026-06-01T20:00", "2026-06-02T20:00")
    let (before, after) = ("2026-06-01T10:00Z", "2026-06-01T11:30Z")
    #expect(try first(inLosAngelesSince: before, in: "Asia/Tokyo", habit) == today)
    // The occurrence fired in Tokyo before they left.
    #expect(try first(inLosAngelesSince: after, in: "Asia/Tokyo", habit) == tomorrow)
    // The watch received it in this zone for an earlier instant, in a digest.
    #expect(
      try first(inLosAngelesSince: before, in: "America/Los_Angeles", habit) == tomorrow)
    // The other device does not yield to this one.
    #expect(
      try first(inLosAngelesSince: before, beside: .phone, in: "Asia/Tokyo", habit) == tomorrow)
  }

  @Test(
    "Only a delivery in the current revision suppresses an occurrence",
    arguments: [
      (ReceiptState.delivered, OccurrenceID.Revision.first, true), (.expired, .first, true),
      (.acted, .first, true), (.delivered, .snoozed(until: instant("2026-11-23T16:00Z")), false),
      (.submitted, .first, false),
    ])
  func revision(state: ReceiptState, revision: OccurrenceID.Revision, suppresses: Bool) throws {
    let habit = Habit("Walk", .daily(at: ["17:00"], unless: .done))
    let nominal = CivilDateTime(date: "2026-11-23", time: "17:00")
    let fixture = try fixture(habit, delivered: nominal, state, revision: revision)
    let plan = fixture.plan(at: "2026-11-23T12:00Z")
    #expect(plan.nominals.contains(nominal.description) != suppresses)
  }

  @Test("A submitted request is presumed delivered once it is due, if permission was granted")
  func presumed() throws {
    let habit = Habit("Walk", .daily(at: ["17:00"], unless: .done))
    let nominal = CivilDateTime(date: "2026-11-23", time: "17:00")
    var fixture = try fixture(
      habit, delivered: nominal, .submitted, fireAt: instant("2026-11-23T09:00Z"))
    func isPlanned(_ now: String) -> Bool {
      fixture.plan(at: now).nominals.contains(nominal.description)
    }
    #expect(isPlanned("2026-11-23T12:00Z"), "the device's permission is unknown")
    var device = Device(replica: Self.other)
    device.permission = Permission(status: .authorized)
    fixture.state.devices[Self.other] = device
    #expect(!isPlanned("2026-11-23T12:00Z"))
    #expect(!isPlanned("2026-11-23T09:00Z"))
    #expect(isPlanned("2026-11-23T08:59Z"))
    #expect(fixture.plan(at: "2026-11-23T08:59Z").validUntil == instant("2026-11-23T09:00Z"))
  }

  @Test("A plan is valid until an interval begins, even if its first occurrence does not fire")
  func beginningInterval() {
    let interval = Schedule.Interval(seconds: 4 * 3_600, from: instant("2026-11-23T09:00Z"))
    let habit = Habit("Water", Schedule(rule: .interval(interval), times: []))
    var fixture = PlanFixture("UTC", habit)
    let first = OccurrenceID(
      habit: habit.id, schedule: habit.schedules[0].id,
      nominal: CivilDateTime(date: "2026-11-23", time: "09:00"))
    fixture.state.receipts[habit.id] = [
      OccurrenceReceipt(first, .delivered, fireAt: nil, replica: PlanFixture.device)
    ]
    let plan = fixture.plan(at: "2026-11-23T08:00Z")
    #expect(plan.requests.first?.trigger.repeats == false)
    #expect(plan.validUntil == instant("2026-11-23T09:00Z"))
    #expect(fixture.plan(at: "2026-11-23T09:30Z").requests.first?.trigger.repeats == true)
  }
}
