public import CarillonModel
public import Foundation

/// A system that shows notifications, for tests: it behaves as real ones do, in their bad habits
/// too.
///
/// - It keeps only the last requests that were added, 64 of them, and drops the first without a
///   word.
/// - A request replaces the one of the same id, and counts as added last.
/// - While permission is revoked it answers nothing and takes nothing, and keeps what it had; when
///   permission comes back, so does that. What was due meanwhile is not shown.
/// - ``reboot()`` loses all that was scheduled and shown.
/// - When the clock is set back, what repeats fires next after that; what fired is gone.
///
/// Time is that of a ``ManualClock``. What fell due since the last call is shown, in order, before
/// the next one is answered; ``fires`` tells of all that was ever shown.
public actor StandInScheduler: NotificationScheduler {
  /// One notification that was shown.
  public struct Firing: Hashable, Sendable {
    /// The request's id.
    public let id: String
    /// When it was shown.
    public let at: Instant
    /// What was shown; nil for one of others.
    public let content: RequestContent?
  }

  /// The system refused a request.
  public struct Refusal: Error, CustomStringConvertible {
    /// Why.
    public let description: String
  }

  private struct Held {
    let id: String
    let request: Request?
    var next: Instant?
  }

  private let clock: ManualClock
  private let limit: Int
  private var zone: TimeZone
  private var isGranted = true
  /// In the order in which they were added.
  private var held: [Held] = []
  private var shown: [String: Instant] = [:]
  private var log: [Firing] = []
  private var addsUntilFailure: Set<Int> = []
  private var changes = 0
  /// What the clock showed last.
  private var lastSeen: Instant
  /// The number on the icon.
  public private(set) var badge = 0

  /// Makes a system that holds nothing, and has permission.
  ///
  /// - Parameters:
  ///   - zone: The zone that floating triggers follow, until ``travel(to:)``.
  ///   - limit: How many requests it keeps.
  public init(clock: ManualClock, zone: TimeZone, limit: Int = 64) {
    self.clock = clock
    lastSeen = clock.now
    self.zone = zone
    self.limit = limit
  }

  // MARK: - The port

  /// All that it holds, in the order in which it was added; nothing while permission is revoked.
  public func scheduled() -> [ScheduledRequest] {
    catchUp()
    guard isGranted else { return [] }
    return held.map { ScheduledRequest(id: $0.id, fingerprint: $0.request?.fingerprint) }
  }

  /// Removes requests; nothing while permission is revoked.
  public func remove(_ ids: [String]) {
    catchUp()
    guard isGranted else { return }
    changes += 1
    held.removeAll { ids.contains($0.id) }
  }

  /// Takes a request as the last; refuses one that is past, and those of ``refuse(_:)``.
  public func add(_ request: Request) throws {
    catchUp()
    addsUntilFailure = Set(addsUntilFailure.map { $0 - 1 })
    if addsUntilFailure.remove(0) != nil { throw Refusal(description: "the system is busy") }
    guard isGranted else { return }
    guard let trigger = RequestTrigger(request.trigger) else {
      throw Refusal(description: "no trigger: \(request.trigger)")
    }
    let next = nextFire(of: trigger, request, after: clock.now)
    guard next != nil || request.isPlace else {
      throw Refusal(description: "\(request.id) is past: \(request.trigger)")
    }
    put(Held(id: request.id, request: request, next: next))
  }

  /// What is shown, in the order in which it was.
  public func delivered() -> [DeliveredNotification] {
    catchUp()
    return shown.map { DeliveredNotification(id: $0.key, deliveredAt: $0.value) }
      .sorted { ($0.deliveredAt, $0.id) < ($1.deliveredAt, $1.id) }
  }

  /// Takes what is shown away.
  public func removeDelivered(_ ids: [String]) {
    catchUp()
    for id in ids { shown[id] = nil }
  }

  /// Sets the number on the icon.
  public func setBadge(_ count: Int) {
    badge = count
  }

  // MARK: - What tests do to it

  /// All that was shown by now, in order.
  public var firings: [Firing] {
    catchUp()
    return log
  }

  /// How often something was added or removed.
  public var changeCount: Int { changes }

  /// Takes permission back: from now on it answers nothing and keeps what it has.
  public func revoke() {
    catchUp()
    isGranted = false
  }

  /// Gives permission again: what it had is there again.
  public func grant() {
    catchUp()
    isGranted = true
  }

  /// Loses all that was scheduled and shown.
  public func reboot() {
    catchUp()
    held = []
    shown = [:]
  }

  /// Takes the device to another zone: floating triggers follow it.
  public func travel(to zone: TimeZone) {
    catchUp()
    self.zone = zone
    resetFires { _ in true }
    held.removeAll { $0.request.map { !$0.isPlace } ?? false && $0.next == nil }
  }

  /// Refuses the n-th of the requests that are added from now on, counted from 1.
  public func refuse(_ places: Int...) {
    addsUntilFailure = Set(places)
  }

  /// Another part of the app schedules a request, at an instant or never.
  public func addForeign(_ id: String, at instant: Instant? = nil) {
    catchUp()
    put(Held(id: id, request: nil, next: instant))
  }

  /// The person puts a notification away.
  public func dismiss(_ id: String) {
    catchUp()
    shown[id] = nil
  }

  // MARK: - Time

  private func put(_ new: Held) {
    changes += 1
    held.removeAll { $0.id == new.id }
    held.append(new)
    if held.count > limit { held.removeFirst(held.count - limit) }
  }

  /// Finds anew when requests fire next.
  private func resetFires(where isMeant: (RequestTrigger) -> Bool) {
    for index in held.indices {
      guard let request = held[index].request, let trigger = RequestTrigger(request.trigger),
        isMeant(trigger)
      else { continue }
      held[index].next = nextFire(of: trigger, request, after: clock.now)
    }
  }

  private func catchUp() {
    let now = clock.now
    if now < lastSeen { resetFires(where: \.repeats) }
    lastSeen = now
    // Of those due at one instant, the one that was added first.
    while let index = held.indices.filter({ held[$0].next.map { $0 <= now } ?? false })
      .min(by: { (held[$0].next ?? now, $0) < (held[$1].next ?? now, $1) }),
      let fire = held[index].next
    {
      let due = held[index]
      if isGranted {
        log.append(Firing(id: due.id, at: fire, content: due.request?.content))
        shown[due.id] = fire
      }
      if let request = due.request, request.repeats, let trigger = RequestTrigger(request.trigger) {
        held[index].next = nextFire(of: trigger, request, after: fire)
      } else {
        held.remove(at: index)
      }
    }
  }

  private func nextFire(
    of trigger: RequestTrigger, _ request: Request, after moment: Instant
  ) -> Instant? {
    trigger.nextFire(after: moment, in: zone, countedFrom: request.fireAt)
  }
}

extension Request {
  fileprivate var isPlace: Bool { trigger.hasPrefix("place ") }
}
