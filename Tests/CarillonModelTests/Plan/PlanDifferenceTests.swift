import CarillonModel
import Foundation
import Testing

@Suite struct PlanDifferenceTests {
  private var fixture = PlanFixture("UTC", Habit("Range", .daily(at: ["17:00"], unless: .done)))
  private let now = "2026-11-23T08:00Z"

  @Test("For an empty system, all requests are inserted, the soonest first")
  func empty() {
    let plan = fixture.plan(at: now)
    let difference = plan.difference(from: [])
    #expect(difference.insertions == plan.requests)
    #expect(difference.removals == [] && difference.unchanged == 0 && difference.foreign == 0)
  }

  @Test("Carillon's unplanned requests are removed; other requests are counted once per ID")
  func others() {
    let plan = fixture.plan(at: now)
    let own = ["c1.", "c1i.", "c1r."].map { $0 + "aaaaaaaaaaaaaaaa" }
    let strange = own.reversed() + ["c1", "c1.zzz", "c1x.a", "C1.a", "", "mine", "mine"]
    let held = plan.scheduled + strange.map { ScheduledRequest(id: NotificationID($0)) }
    let difference = plan.difference(from: held)
    #expect(difference.removals.map(\.description) == own)
    #expect(difference.insertions == [])
    #expect(difference.unchanged == 8 && difference.foreign == 6)
  }

  @Test(
    "A request with another fingerprint is replaced; without a fingerprint the ID decides")
  func changed() {
    let plan = fixture.plan(at: now)
    var held = plan.scheduled
    held[0] = ScheduledRequest(id: held[0].id, fingerprint: "0")
    held[1] = ScheduledRequest(id: held[1].id)
    let difference = plan.difference(from: held)
    #expect(difference.removals == [])
    #expect(difference.insertions == [plan.requests[0]])
    #expect(difference.unchanged == 7)
  }

  @Test("A blocked plan removes all requests from the system, but still lists its queue")
  mutating func blocked() {
    let granted = fixture.plan(at: now)
    fixture.state.devices[PlanFixture.device]?.permission.status = .denied
    let plan = fixture.plan(at: now)
    #expect(plan.blocked == .denied)
    #expect(plan.requests == granted.requests)
    #expect(plan.coverageUntil == granted.coverageUntil)
    let difference = plan.difference(from: granted.scheduled)
    #expect(difference.removals == granted.requests.map(\.id).sorted())
    #expect(difference.insertions == [] && difference.unchanged == 0)
    fixture.state.devices[PlanFixture.device] = nil
    #expect(fixture.plan(at: now).blocked == .notDetermined)
  }

  @Test("Each ID of another origin takes one place in the system's list")
  func room() {
    let others = ["a", "b", "b", "c1.aaaaaaaaaaaaaaaa"].map {
      ScheduledRequest(id: NotificationID($0))
    }
    #expect(others.otherCount == 2)
  }
}
