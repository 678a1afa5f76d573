import CarillonModel
import CarillonTesting
import Foundation
import Testing

/// The stand-in does what every scheduler must do, and imitates behavior of real systems.
struct SchedulerConformanceTests {
  @Test("The stand-in conforms to the port", arguments: SchedulerConformance.checks)
  func standIn(_ check: SchedulerConformance.Check) async throws {
    let clock = ManualClock("2026-11-23T08:00:00Z")
    try await check.run { StandInScheduler(clock: clock, zone: .gmt) }
  }

  @Test("A scheduler with a defect fails the conformance suite")
  func deviants() async throws {
    for deviant in [Deviant.addsAgain, .forgetsFingerprints, .removesAll] {
      var failed = 0
      for check in SchedulerConformance.checks {
        do {
          try await check.run { DeviantScheduler(deviant) }
        } catch is ConformanceFailure {
          failed += 1
        }
      }
      #expect(failed > 0, "\(deviant)")
    }
  }

  @Test("The stand-in keeps only the requests that were added last, up to its limit")
  func limit() async throws {
    let clock = ManualClock("2026-11-23T08:00:00Z")
    let system = StandInScheduler(clock: clock, zone: .gmt, limit: 3)
    for id in ["a", "b", "c", "a", "d"] { await system.addForeign(.other(id)) }
    #expect(await system.scheduled().map(\.id) == ["c", "a", "d"].map(NotificationID.other))
  }

  @Test("While permission is revoked the stand-in lists nothing; afterwards it restores its queue")
  func revoked() async throws {
    let clock = ManualClock("2026-11-23T08:00:00Z")
    let system = StandInScheduler(clock: clock, zone: .gmt)
    let (soon, late) = (NotificationID.other("soon"), NotificationID.other("late"))
    await system.addForeign(soon, at: Instant(milliseconds: clock.now.milliseconds + 60_000))
    await system.addForeign(late, at: Instant(milliseconds: clock.now.milliseconds + 600_000))
    let (habit, schedule) = (HabitID.random(), ScheduleID.random())
    let nominal = CivilDateTime(date: "2026-11-23", time: "17:00")
    let daily = NotificationRequest(
      id: RequestID(habit: habit, schedule: schedule, trigger: .daily("17:00")),
      occurrence: OccurrenceID(habit: habit, schedule: schedule, nominal: nominal),
      content: RequestContent(title: "A", thread: "a"), fireAt: nil, nominal: nominal,
      trigger: RequestTrigger(.daily("17:00")), fingerprint: "0")
    try await system.add(daily)
    await system.revoke()
    #expect(await system.scheduled().isEmpty)
    await system.remove([daily.id])
    clock.advance(seconds: 120)
    await system.grant()
    #expect(await system.scheduled().map(\.id) == [late, .request(daily.id)])
    clock.advance(seconds: 600)
    #expect(await system.firings.map(\.id) == [late], "what was due meanwhile is not shown")
    await system.reboot()
    #expect(await system.delivered().isEmpty)
  }
}

private enum Deviant: CaseIterable {
  case addsAgain, forgetsFingerprints, removesAll
}

/// A scheduler with one defect.
private actor DeviantScheduler: NotificationScheduler {
  private let deviant: Deviant
  private var held: [ScheduledRequest] = []

  init(_ deviant: Deviant) {
    self.deviant = deviant
  }

  func scheduled() -> [ScheduledRequest] { held }

  func remove(_ ids: [RequestID]) {
    if deviant == .removesAll { held = [] }
    held.removeAll { $0.id.request.map(ids.contains) ?? false }
  }

  func add(_ request: NotificationRequest) {
    if deviant != .addsAgain { held.removeAll { $0.id == .request(request.id) } }
    let fingerprint = deviant == .forgetsFingerprints ? nil : request.fingerprint
    held.append(ScheduledRequest(id: .request(request.id), fingerprint: fingerprint))
  }

  func delivered() -> [DeliveredNotification] { [] }
  func removeDelivered(_ ids: [RequestID]) {}
  func setBadge(_ count: Int) {}
}
