public import CarillonModel

/// The conformance suite of the port ``NotificationScheduler``: the rules that every implementation
/// must keep.
///
/// Run it from a test target, for example as the arguments of one test:
///
/// ```swift
/// @Test(arguments: SchedulerConformance.checks)
/// func conforms(_ check: SchedulerConformance.Check) async throws {
///   try await check.run { makeScheduler() }
/// }
/// ```
///
/// It adds requests for the year 2099 to a system that holds none of Carillon's, and removes them
/// afterwards.
public enum SchedulerConformance {
  /// Creates an implementation whose system holds no requests of Carillon and may deliver
  /// notifications.
  public typealias Factory = @Sendable () async throws -> any NotificationScheduler

  /// A rule that an implementation must keep.
  public struct Check: Sendable, CustomStringConvertible {
    /// The rule, as a sentence.
    public let description: String
    private let body: @Sendable (any NotificationScheduler) async throws -> Void

    init(
      _ description: String,
      _ body: @escaping @Sendable (any NotificationScheduler) async throws -> Void
    ) {
      self.description = description
      self.body = body
    }

    /// Runs the check.
    ///
    /// - Throws: ``ConformanceFailure`` if the implementation breaks the rule; otherwise the
    ///   implementation's errors.
    public func run(on makeScheduler: Factory) async throws {
      let scheduler = try await makeScheduler()
      try await body(scheduler)
      try await scheduler.remove(requests.map(\.id))
    }
  }

  /// All checks.
  public static let checks: [Check] = [
    Check("Each added request is listed once, with its fingerprint") {
      for request in requests { try await $0.add(request) }
      try await expect($0, requests, "every added request")
    },
    Check("A request replaces the one with the same ID") {
      try await $0.add(requests[0])
      try await $0.add(changed)
      try await expect($0, [changed], "the last added request")
    },
    Check("Only the removed requests are removed") {
      for request in requests { try await $0.add(request) }
      try await $0.remove([requests[0].id, requests[2].id])
      try await expect($0, [requests[1]], "the request that was not removed")
    },
    Check("Removing no request, or an unknown one, changes nothing") {
      try await $0.add(requests[1])
      try await $0.remove([])
      try await $0.remove([requests[0].id, unknown])
      try await expect($0, [requests[1]], "the added request")
    },
    Check("A request that is not due is not delivered") {
      try await $0.add(requests[0])
      let delivered = try await $0.delivered().map(\.id)
      try require(
        !delivered.contains(.request(requests[0].id)),
        "no request of the suite is delivered, but \(delivered) is")
    },
    Check("Removing a notification that was not delivered changes nothing") {
      try await $0.add(requests[0])
      try await $0.removeDelivered([requests[0].id])
      try await expect($0, [requests[0]], "the added request")
    },
    Check("The badge can be set and removed") {
      try await $0.setBadge(3)
      try await $0.setBadge(0)
    },
  ]

  /// Requests that are not due for a long time: once, every day, and in a fixed time zone.
  static let requests = [
    request(1, RequestTrigger(.at(moment, second: 0))),
    request(2, RequestTrigger(.daily("07:30"))),
    request(3, RequestTrigger(.at(moment, second: 0), zone: "America/New_York")),
  ]

  private static let moment = CivilDateTime(date: "2099-11-23", time: "17:00")
  private static let changed = request(
    1, RequestTrigger(.at(moment, second: 30)), body: "changed")

  private static func request(
    _ number: UInt64, _ trigger: RequestTrigger, body: String? = nil
  ) -> NotificationRequest {
    let occurrence = occurrence(number)
    return NotificationRequest(
      id: trigger.repeats
        ? RequestID(habit: occurrence.habit, schedule: occurrence.schedule, trigger: trigger.shape)
        : occurrence.requestID,
      occurrence: occurrence,
      content: RequestContent(
        title: "Walk \(number)", body: body, thread: "walk", data: ["route": "habit/\(number)"]),
      fireAt: Instant(milliseconds: 4_098_000_000_000),
      nominal: moment, trigger: trigger,
      fingerprint: "000000000000000\(number + (body == nil ? 0 : 8))")
  }

  private static func occurrence(_ number: UInt64) -> OccurrenceID {
    OccurrenceID(
      habit: HabitID(high: 1, low: number), schedule: ScheduleID(high: 2, low: number),
      nominal: moment)
  }

  /// The ID of a request that is never added.
  private static let unknown = occurrence(4).requestID

  private static func expect(
    _ scheduler: any NotificationScheduler, _ requests: [NotificationRequest], _ what: String
  ) async throws {
    let listed = try await scheduler.scheduled().filter(\.isOurs)
    let wanted = requests.map(ScheduledRequest.init)
    let ordered = { (list: [ScheduledRequest]) in list.sorted { $0.id < $1.id } }
    try require(
      ordered(listed) == ordered(wanted), "\(what) is listed: \(wanted), but \(listed) is")
  }

  private static func require(_ holds: Bool, _ sentence: String) throws {
    if !holds { throw ConformanceFailure(description: sentence) }
  }
}
