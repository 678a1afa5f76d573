import CarillonModel
import Testing

/// A presumed delivery depends on the permission that the device had at the time.
@Suite struct PermissionGrantTests {
  private static let phone = ReplicaID(high: 1, low: 0)
  private static let granted = Permission(status: .authorized, options: .alert)
  private static let denied = Permission(status: .denied)

  @Test("A permission holds from its instant on and replaces permissions recorded for later ones")
  func grants() {
    var device = Device(replica: Self.phone)
    #expect(!device.isGranted(at: instant("2026-11-23T08:00Z")))
    device.note(Self.granted, at: instant("2026-11-23T08:00Z"))
    device.note(Self.granted, at: instant("2026-11-23T09:00Z"))
    device.note(Self.denied, at: instant("2026-11-24T09:00Z"))
    device.note(Self.granted, at: instant("2026-11-25T09:00Z"))
    let moments = [
      ("2026-11-23T07:59Z", false), ("2026-11-23T08:00Z", true), ("2026-11-24T08:59Z", true),
      ("2026-11-24T09:00Z", false), ("2026-11-25T09:00Z", true),
    ]
    for (moment, isGranted) in moments {
      #expect(device.isGranted(at: instant(moment)) == isGranted, "\(moment)")
    }
    let now = instant("2026-11-25T10:00Z")
    #expect(device.grantedSince(by: now) == instant("2026-11-25T09:00Z"))
    #expect(device.grantedSince(by: instant("2026-11-24T09:00Z")) == nil)
    // The clock of the last record was ahead.
    device.note(Self.denied, at: instant("2026-11-24T10:00Z"))
    #expect(!device.isGranted(at: instant("2026-11-25T10:00Z")))
    #expect(device.isGranted(at: instant("2026-11-24T08:00Z")))
    #expect(device.grantedSince(by: now) == nil && !device.permission.isGranted)
  }

  @Test("A notification that came due while permission was granted counts as delivered")
  func moment() {
    let habit = Habit("Pills", .daily(at: ["17:00"], unless: .done))
    var fixture = PlanFixture("UTC", habit)
    var phone = Device(replica: Self.phone)
    phone.note(Self.granted, at: instant("2026-11-20T08:00Z"))
    phone.note(Self.denied, at: instant("2026-11-24T09:00Z"))
    phone.note(Self.granted, at: instant("2026-11-25T09:00Z"))
    fixture.state.devices[Self.phone] = phone
    fixture.state.receipts[habit.id] = Set(
      ["2026-11-23", "2026-11-24"].map { (date: CivilDate) in
        OccurrenceReceipt(
          OccurrenceID(
            habit: habit.id, schedule: habit.schedules[0].id,
            nominal: CivilDateTime(date: date, time: "17:00")), .submitted,
          fireAt: instant("\(date)T17:00Z"),
          replica: Self.phone)
      })
    let planner = fixture.planner(at: instant("2026-11-25T10:00Z"))
    #expect(planner.explain(habit.id, on: "2026-11-23").map(\.reason) == [.delivered])
    #expect(planner.explain(habit.id, on: "2026-11-24").map(\.reason) == [.past])
  }
}
