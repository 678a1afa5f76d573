import CarillonModel
import CarillonTesting

/// A stand-in that remembers which request caused each firing.
actor RecordingScheduler: NotificationScheduler {
  let system: StandInScheduler
  private let clock: ManualClock
  private var given: [NotificationID: [(at: Instant, request: NotificationRequest)]] = [:]

  init(_ system: StandInScheduler, _ clock: ManualClock) {
    self.system = system
    self.clock = clock
  }

  func scheduled() async -> [ScheduledRequest] { await system.scheduled() }
  func remove(_ ids: [RequestID]) async { await system.remove(ids) }
  func delivered() async -> [DeliveredNotification] { await system.delivered() }
  func removeDelivered(_ ids: [RequestID]) async { await system.removeDelivered(ids) }
  func setBadge(_ count: Int) async { await system.setBadge(count) }

  func add(_ request: NotificationRequest) async throws {
    try await system.add(request)
    given[.request(request.id), default: []].append((clock.now, request))
  }

  /// Returns the request that the system held when it fired.
  func request(of firing: StandInScheduler.Firing) -> NotificationRequest? {
    given[firing.id]?.last { $0.at < firing.at }?.request
  }
}
