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
    for id in ["a", "b", "c", "a", "d"] { await system.addForeign(id) }
    #expect(await system.scheduled().map(\.id) == ["c", "a", "d"])
  }

  @Test("While permission is revoked the stand-in lists nothing; afterwards it restores its queue")
  func revoked() async throws {
    let clock = ManualClock("2026-11-23T08:00:00Z")
    let system = StandInScheduler(clock: clock, zone: .gmt)
    await system.addForeign("soon", at: Instant(milliseconds: clock.now.milliseconds + 60_000))
    await system.addForeign("late", at: Instant(milliseconds: clock.now.milliseconds + 600_000))
    await system.revoke()
    #expect(await system.scheduled().isEmpty)
    await system.remove(["late"])
    clock.advance(seconds: 120)
    await system.grant()
    #expect(await system.scheduled().map(\.id) == ["late"])
    clock.advance(seconds: 600)
    #expect(await system.firings.map(\.id) == ["late"], "what was due meanwhile is not shown")
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

  func remove(_ ids: [String]) {
    if deviant == .removesAll { held = [] }
    held.removeAll { ids.contains($0.id) }
  }

  func add(_ request: NotificationRequest) {
    if deviant != .addsAgain { held.removeAll { $0.id == request.id } }
    let fingerprint = deviant == .forgetsFingerprints ? nil : request.fingerprint
    held.append(ScheduledRequest(id: request.id, fingerprint: fingerprint))
  }

  func delivered() -> [DeliveredNotification] { [] }
  func removeDelivered(_ ids: [String]) {}
  func setBadge(_ count: Int) {}
}
