import CarillonModel
import CarillonSQLite

/// The device that delivers the reminders of habits with one owner.
package struct OwnerDelivery: Hashable, Sendable {
  /// The owner.
  package let owner: Habit.Owner
  /// The number of habits with reminders that have this owner.
  package let habitCount: Int
  /// The device; nil if none may deliver them.
  package let deliverer: ReplicaID?
}

/// Who delivers the reminders, and how far they are planned.
struct DeliveryStatus {
  /// The device that delivers the reminders of habits whose owner is `phoneFirst`; nil if none may.
  let deliverer: ReplicaID?
  /// The reason why this device may not deliver.
  let blocked: Blocked?
  let role: Device.Role?
  /// Whether this device is retired.
  let isRetired: Bool
  /// Who delivers the reminders of habits with each owner, for the owners that any habit has.
  let owners: [OwnerDelivery]
  /// Whether a habit has reminders.
  var hasReminders: Bool { !owners.isEmpty }
  /// The instant up to which the plan that this device submitted last is complete.
  ///
  /// If it submitted none, or the same requests as those of the kept plan, it is that of the kept
  /// plan; nil without either.
  let coverageUntil: Instant?
}

extension Store {
  /// Returns the devices that deliver the notifications of habits, by owner policy.
  ///
  /// A policy for which no device may deliver is missing.
  package func deliverers() async throws -> [Habit.Owner: ReplicaID] {
    try await read { context in
      let planner = try self.deviceElection(context)
      let found = Habit.Owner.allCases.compactMap { owner in
        planner.deliverer(owner).map { (owner, $0) }
      }
      return Dictionary(uniqueKeysWithValues: found)
    }
  }

  /// Returns the end of the plan that this device's system has if it is past and this device
  /// delivers reminders, or nil.
  package func planRanOut() async throws -> Instant? {
    try await read { context in
      let delivery = try self.delivery(context)
      guard delivery.hasReminders, delivery.deliverer == context.device else { return nil }
      return delivery.coverageUntil.flatMap { $0 <= context.now ? $0 : nil }
    }
  }

  /// Returns a planner that knows the devices only.
  func deviceElection(_ context: Context) throws -> Planner {
    let state = StoreState(settings: context.settings, devices: try context.reader.devices())
    return Planner(
      state: state, settings: planSettings(context), device: context.device, now: context.now)
  }

  func delivery(_ context: Context) throws -> DeliveryStatus {
    let reader = context.reader
    let planner = try deviceElection(context)
    let own = try context.ownDevice()
    let habits = try reader.habits().filter {
      !$0.isDeleted && !$0.isArchived && !$0.schedules.isEmpty
    }
    let owners = Habit.Owner.allCases.compactMap { owner -> OwnerDelivery? in
      let count = habits.count { $0.owner == owner }
      guard count > 0 else { return nil }
      return OwnerDelivery(
        owner: owner, habitCount: count, deliverer: planner.deliverer(owner))
    }
    return DeliveryStatus(
      deliverer: planner.deliverer(.phoneFirst), blocked: own.blocked,
      role: own.description?.role, isRetired: own.retiredSince != nil, owners: owners,
      coverageUntil: try coverage(context))
  }

  private func coverage(_ context: Context) throws -> Instant? {
    let reader = context.reader
    let kept = try reader.keptPlanCoverage()
    guard let submitted = try reader.submission(of: context.device)?.plan,
      submitted.idsDigest != Submission.digest(try reader.keptPlanRequests())
    else { return kept }
    return submitted.coverageUntil ?? kept
  }

  /// Returns what prevents reminders from being delivered, one sentence each.
  func deliveryHealth(
    _ delivery: DeliveryStatus, _ replicas: [ReplicaInfo], _ context: Context
  ) throws -> [String] {
    guard delivery.hasReminders else { return [] }
    var health: [String] = []
    if delivery.deliverer == nil {
      let own =
        if delivery.role == .server {
          "a server never delivers any"
        } else if let blocked = delivery.blocked, !delivery.isRetired {
          blocked.health
        } else {
          "this one is retired"
        }
      health.append("no device delivers reminders: \(own), and no other device is in use")
    }
    let isOwn = delivery.deliverer == context.device
    if isOwn, let end = delivery.coverageUntil, end <= context.now {
      let ago = Self.duration(context.now.milliseconds - end.milliseconds)
      health.append("the plan ran out \(ago) ago; later reminders may be missing")
    }
    return health + silent(replicas, context)
  }

  /// Returns a sentence for each device that was not heard of for days.
  private func silent(_ replicas: [ReplicaInfo], _ context: Context) -> [String] {
    let limit = max(Int64(context.settings.staleHours) * 3_600_000, 7 * 86_400_000)
    let besides = Set(replicas.compactMap(\.predecessor)).union([context.device, context.replica])
    return replicas.compactMap { replica in
      guard let role = replica.role, role != .server, replica.isInUse,
        !besides.contains(replica.replica),
        replica.branches.contains(where: { !$0.isClosed })
      else { return nil }
      let silence = context.now.milliseconds - replica.head.timestamp.milliseconds
      guard silence > limit else { return nil }
      return "\(replica.name) was not heard of for \(Self.duration(silence)); sync with it"
    }
  }

  /// Returns the sentence about a replica that wrote ahead of this device's clock.
  package static func clockHealth(_ replica: ReplicaInfo, _ ahead: Int64, own: ReplicaID) -> String
  {
    let ahead = duration(ahead)
    guard replica.replica == own else {
      return "\(replica.name) wrote \(ahead) ahead of this device's clock; set the clock that is "
        + "wrong"
    }
    return "this device wrote \(ahead) ahead of what its clock shows now; if the clock is wrong "
      + "now, set it; if it was wrong then, nothing is lost, and new events follow those"
  }
}

extension Blocked {
  /// What prevents delivery on this device, in the middle of a sentence.
  fileprivate var health: String {
    switch self {
    case .notDetermined: "notifications are not allowed on this one yet"
    case .denied: "notifications are not allowed on this one"
    case .alertsOff: "alerts are off on this one"
    }
  }
}
