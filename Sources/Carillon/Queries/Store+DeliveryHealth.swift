import CarillonModel
import CarillonSQLite

/// Who delivers the reminders, and how far they are planned.
struct DeliveryStatus {
  /// The device that delivers the reminders of habits whose owner is `phoneFirst`; nil if none may.
  let deliverer: ReplicaID?
  /// The reason why this device may not deliver.
  let blocked: Blocked?
  let role: Device.Role?
  /// Whether a habit has reminders.
  let hasReminders: Bool
  /// The instant up to which the kept plan is complete; nil without a kept plan.
  let coverageUntil: Instant?
}

extension Store {
  func delivery(_ context: Context) throws -> DeliveryStatus {
    let reader = context.reader
    let state = StoreState(settings: context.settings, devices: try reader.devices())
    let planner = Planner(
      state: state, settings: planSettings(context), device: context.device, now: context.now)
    let own = try context.ownDevice()
    return DeliveryStatus(
      deliverer: planner.deliverer(.phoneFirst), blocked: own.blocked,
      role: own.description?.role,
      hasReminders: try reader.habits().contains {
        !$0.isDeleted && !$0.isArchived && !$0.schedules.isEmpty
      }, coverageUntil: try reader.keptPlanCoverage())
  }

  /// Returns what prevents reminders from being delivered, one sentence each.
  func deliveryHealth(
    _ delivery: DeliveryStatus, _ replicas: [ReplicaInfo], _ context: Context
  ) throws -> [String] {
    guard delivery.hasReminders else { return [] }
    var health: [String] = []
    if delivery.deliverer == nil {
      let own =
        delivery.role == .server
        ? "a server never delivers any" : delivery.blocked?.health ?? "this one was replaced"
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
      guard let role = replica.role, role != .server, !besides.contains(replica.replica),
        replica.branches.contains(where: { !$0.isClosed })
      else { return nil }
      let silence = context.now.milliseconds - replica.head.timestamp.milliseconds
      guard silence > limit else { return nil }
      return "\(replica.name) was not heard of for \(Self.duration(silence)); sync with it"
    }
  }

  /// Returns the sentence about a replica that wrote ahead of this device's clock.
  static func clockHealth(_ replica: ReplicaInfo, _ ahead: Int64, own: ReplicaID) -> String {
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
    case .notDetermined: "this one has no permission yet"
    case .denied: "permission is denied on this one"
    case .alertsOff: "alerts are off on this one"
    }
  }
}
