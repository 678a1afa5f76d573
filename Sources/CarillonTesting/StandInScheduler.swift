public import CarillonModel
public import Foundation

/// A system that delivers notifications, for tests. It behaves like real systems, including their
/// flaws.
///
/// - It keeps only the 64 requests that were added last, and drops earlier ones silently.
/// - A request replaces the one with the same ID, and then counts as added last.
/// - While permission is revoked, it lists nothing, accepts nothing, and keeps its requests. They
///   are available again once permission is granted. Requests that were due in the meantime are not
///   delivered.
/// - ``reboot()`` removes all requests and delivered notifications.
/// - If the clock is set back, a repeating request fires next after the new time; a request that
///   fired once is gone.
///
/// It uses the time of a ``ManualClock``. Before each call, it delivers all requests that became
/// due since the last call, in order. ``firings`` lists every delivery.
public actor StandInScheduler: NotificationScheduler {
  /// One delivered notification.
  public struct Firing: Hashable, Sendable {
    /// The notification's ID.
    public let id: NotificationID
    /// The time of the delivery.
    public let at: Instant
    /// The delivered content; nil for a request of another part of the app.
    public let content: RequestContent?
  }

  /// The error thrown if the system refuses a request.
  public struct Refusal: Error, CustomStringConvertible {
    /// The reason.
    public let description: String
  }

  private struct Held {
    let id: NotificationID
    let request: NotificationRequest?
    var next: Instant?
  }

  private let clock: ManualClock
  private let limit: Int
  private var zone: TimeZone
  private var isGranted = true
  /// In the order in which they were added.
  private var held: [Held] = []
  private var displayed: [NotificationID: Instant] = [:]
  private var log: [Firing] = []
  private var addsUntilFailure: Set<Int> = []
  private var changes = 0
  /// The time of the clock at the last call.
  private var lastSeen: Instant
  /// The number on the app's icon.
  public private(set) var badge = 0

  /// Creates a system that has permission and holds no requests.
  ///
  /// - Parameters:
  ///   - zone: The time zone that floating triggers follow, until ``travel(to:)``.
  ///   - limit: The number of requests that it keeps.
  public init(clock: ManualClock, zone: TimeZone, limit: Int = 64) {
    self.clock = clock
    lastSeen = clock.now
    self.zone = zone
    self.limit = limit
  }

  // MARK: - The port

  /// Returns all requests, in the order in which they were added; none while permission is revoked.
  public func scheduled() -> [ScheduledRequest] {
    catchUp()
    guard isGranted else { return [] }
    return held.map { ScheduledRequest(id: $0.id, fingerprint: $0.request?.fingerprint) }
  }

  /// Removes requests; has no effect while permission is revoked.
  public func remove(_ ids: [RequestID]) {
    catchUp()
    guard isGranted else { return }
    changes += 1
    held.removeAll { $0.id.request.map(ids.contains) ?? false }
  }

  /// Adds a request as the last one; refuses a past request and those selected by ``refuse(_:)``.
  public func add(_ request: NotificationRequest) throws {
    catchUp()
    addsUntilFailure = Set(addsUntilFailure.map { $0 - 1 })
    if addsUntilFailure.remove(0) != nil { throw Refusal(description: "the system is busy") }
    guard isGranted else { return }
    let next = nextFire(of: request, after: clock.now)
    guard next != nil || request.isPlace else {
      throw Refusal(description: "\(request.id) is past: \(request.trigger)")
    }
    put(Held(id: .request(request.id), request: request, next: next))
  }

  /// Returns the delivered notifications that were not removed, in order of delivery.
  public func delivered() -> [DeliveredNotification] {
    catchUp()
    return displayed.map { DeliveredNotification(id: $0.key, deliveredAt: $0.value) }
      .sorted { ($0.deliveredAt, $0.id) < ($1.deliveredAt, $1.id) }
  }

  /// Removes delivered notifications.
  public func removeDelivered(_ ids: [RequestID]) {
    catchUp()
    for id in ids { displayed[.request(id)] = nil }
  }

  /// Sets the number on the app's icon.
  public func setBadge(_ count: Int) {
    badge = count
  }

  // MARK: - Control by tests

  /// All deliveries so far, in order.
  public var firings: [Firing] {
    catchUp()
    return log
  }

  /// The number of additions and removals.
  public var changeCount: Int { changes }

  /// Revokes permission: from now on it lists nothing, and keeps its requests.
  public func revoke() {
    catchUp()
    isGranted = false
  }

  /// Grants permission again; the requests it kept are available again.
  public func grant() {
    catchUp()
    isGranted = true
  }

  /// Removes all requests and delivered notifications.
  public func reboot() {
    catchUp()
    held = []
    displayed = [:]
  }

  /// Moves the device to another time zone; floating triggers follow it.
  public func travel(to zone: TimeZone) {
    catchUp()
    self.zone = zone
    resetFires { _ in true }
    held.removeAll { $0.request.map { !$0.isPlace } ?? false && $0.next == nil }
  }

  /// Refuses requests by their place among those added from now on, counted from 1.
  public func refuse(_ places: Int...) {
    addsUntilFailure = Set(places)
  }

  /// Adds a request of another part of the app, which fires at an instant or never.
  public func addForeign(_ id: NotificationID, at instant: Instant? = nil) {
    catchUp()
    put(Held(id: id, request: nil, next: instant))
  }

  /// Removes a notification as if the person had dismissed it.
  public func dismiss(_ id: NotificationID) {
    catchUp()
    displayed[id] = nil
  }

  // MARK: - Time

  private func put(_ new: Held) {
    changes += 1
    held.removeAll { $0.id == new.id }
    held.append(new)
    if held.count > limit { held.removeFirst(held.count - limit) }
  }

  /// Computes again when requests fire next.
  private func resetFires(where isMeant: (RequestTrigger) -> Bool) {
    for index in held.indices {
      guard let request = held[index].request, isMeant(request.trigger) else { continue }
      held[index].next = nextFire(of: request, after: clock.now)
    }
  }

  private func catchUp() {
    let now = clock.now
    if now < lastSeen { resetFires(where: \.repeats) }
    lastSeen = now
    // Among requests due at the same instant, the one that was added first comes first.
    while let index = held.indices.filter({ held[$0].next.map { $0 <= now } ?? false })
      .min(by: { (held[$0].next ?? now, $0) < (held[$1].next ?? now, $1) }),
      let fire = held[index].next
    {
      let due = held[index]
      if isGranted {
        log.append(Firing(id: due.id, at: fire, content: due.request?.content))
        displayed[due.id] = fire
      }
      if let request = due.request, request.repeats {
        held[index].next = nextFire(of: request, after: fire)
      } else {
        held.remove(at: index)
      }
    }
  }

  private func nextFire(of request: NotificationRequest, after moment: Instant) -> Instant? {
    request.trigger.nextFire(after: moment, in: zone, countedFrom: request.fireAt)
  }
}

extension NotificationRequest {
  fileprivate var isPlace: Bool { if case .place = trigger.shape { true } else { false } }
}
