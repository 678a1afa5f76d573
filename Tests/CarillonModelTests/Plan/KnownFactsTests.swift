import CarillonModel
import Testing

/// Facts recorded by a clock ahead of now do not count yet.
@Suite struct KnownFactsTests {
  private func receipt(
    _ habit: Habit, _ date: CivilDate, _ state: ReceiptState, recorded: String
  ) -> OccurrenceReceipt {
    OccurrenceReceipt(
      OccurrenceID(
        habit: habit.id, schedule: habit.schedules[0].id,
        nominal: CivilDateTime(date: date, time: "17:00")), state,
      fireAt: instant("\(date)T17:00Z"), replica: PlanFixture.device,
      recordedAt: instant(recorded))
  }

  @Test(
    "A receipt recorded after now suppresses no occurrence",
    arguments: [ReceiptState.submitted, .delivered, .expired, .dismissed, .opened, .acted])
  func receipts(_ state: ReceiptState) {
    let habit = Habit("Pills", .daily(at: ["17:00"]))
    var fixture = PlanFixture("UTC", habit)
    fixture.state.receipts[habit.id] = [
      receipt(habit, "2026-11-23", state, recorded: "2026-12-23T20:00Z"),
      receipt(habit, "2026-11-26", state, recorded: "2026-12-23T20:00Z"),
    ]
    let plan = fixture.plan(at: "2026-11-23T08:00Z")
    #expect(plan.requests.map(\.trigger.description) == ["daily 17:00"])
    #expect(plan.fires == ["2026-11-23T17:00Z"])
    let evening = fixture.planner(at: instant("2026-11-23T18:00Z"))
    #expect(evening.explain(habit.id, on: "2026-11-23").map(\.reason) == [.past])
    #expect(evening.deliveredRemovals().isEmpty)
    // After that moment the receipt counts.
    let later = fixture.planner(at: instant("2026-12-24T08:00Z"))
    #expect(later.explain(habit.id, on: "2026-11-26").map(\.reason) == [.delivered])
  }

  @Test("A fact counts from five minutes before its timestamp, and a plan is valid until then")
  func tolerance() {
    let habit = Habit("Pills", .daily(at: ["17:00"]))
    var fixture = PlanFixture("UTC", habit)
    fixture.state.receipts[habit.id] = [
      receipt(habit, "2026-11-23", .delivered, recorded: "2026-11-23T17:01Z")
    ]
    let before = fixture.plan(at: "2026-11-23T16:55Z")
    #expect(before.fires.first == "2026-11-23T17:00Z")
    #expect(before.validUntil == instant("2026-11-23T16:56Z"))
    let after = fixture.plan(at: "2026-11-23T16:56Z")
    #expect(after.fires.first == "2026-11-24T17:00Z")
  }

  @Test("An entry made after now does not count as recent")
  func doneWithin() {
    var habit = Habit("Stand up", .daily(at: ["10:00", "11:00"]))
    habit.schedules[0].doneWithinSeconds = 3_000
    var fixture = PlanFixture("UTC", habit)
    fixture.setLastActive("2026-11-23")
    fixture.state.entryTimes[habit.id] = [instant("2026-11-23T10:30Z")]
    #expect(
      fixture.plan(at: "2026-11-23T09:00Z").fires.prefix(2) == [
        "2026-11-23T10:00Z", "2026-11-23T11:00Z",
      ])
    #expect(fixture.plan(at: "2026-11-23T10:40Z").fires.first == "2026-11-24T10:00Z")
  }

  @Test("The coverage of a plan submitted far in the future is ignored")
  func coverage() throws {
    let habit = Habit("Pills", .daily(at: ["17:00"]))
    var fixture = PlanFixture("UTC", habit)
    var phone = Device(replica: ReplicaID(high: 1, low: 0))
    phone.description = DeviceDescription(
      name: "phone", role: .phone, zone: "UTC", zoneDataVersion: "2025b", capacity: 64)
    phone.permission = Permission(status: .authorized)
    phone.alerts.isOn = true
    phone.lastSeen = instant("2027-11-23T08:00Z")
    phone.coverageUntil = instant("2027-12-01T00:00Z")
    phone.submittedAt = instant("2026-11-22T08:00Z")
    var watch = try #require(fixture.state.devices[PlanFixture.device])
    watch.description = DeviceDescription(
      name: "watch", role: .watch, zone: "UTC", zoneDataVersion: "2025b", capacity: 64)
    fixture.state.devices = [phone.replica: phone, watch.replica: watch]
    #expect(fixture.plan(at: "2026-11-23T08:00Z").requests.isEmpty)
    phone.submittedAt = phone.lastSeen
    fixture.state.devices[phone.replica] = phone
    #expect(fixture.plan(at: "2026-11-23T08:00Z").requests.count == 1)
  }
}
