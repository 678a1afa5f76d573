/// Decides which habits' notifications a device delivers, from what the devices know of each other.
///
/// A pure function of the synced state. Devices that hold the same events agree on the result,
/// except that each device counts itself as seen now.
struct DeviceElection {
  /// The owner policies whose habits this device delivers.
  ///
  /// An array, because there are too few policies for hashing to pay off.
  private let owned: [Habit.Owner]
  /// The devices that may deliver: those counted on, and this one unless it is a server, is
  /// retired, or was replaced while another one is counted on.
  private let candidates: [Device]
  private let device: ReplicaID
  /// The earliest instant at which another device is no longer counted on, unless it writes an
  /// event before then.
  let changesAt: Instant?
  /// Whether this device and another one may deliver, but the others no longer count on this one.
  let isForgotten: Bool

  init(state: borrowing StoreState, device: ReplicaID, staleHours: Int, now: Instant) {
    let own = state.devices[device] ?? Device(replica: device)
    let predecessors = Self.predecessors(of: state.devices.values)
    var candidates: [Device] = []
    var changes: Instant?
    var isAlone = true
    for other in state.devices.values where other.replica != device {
      guard other.mayAlert, !predecessors.contains(other.replica) else { continue }
      isAlone = false
      guard let until = other.expected(staleHours: staleHours, now: now), now < until else {
        continue
      }
      candidates.append(other)
      changes = min(changes ?? until, until)
    }
    changesAt = changes
    // Someone uses this device, so if no other is counted on, it delivers also if it was replaced.
    let isReplaced = predecessors.contains(device) && !candidates.isEmpty
    isForgotten =
      !isAlone && own.mayAlert && !isReplaced
      && own.expected(staleHours: staleHours, now: now).map { $0 <= now } ?? true
    // A blocked device still plans its queue, so it is a candidate.
    if own.description?.role != .server, own.retiredSince == nil, !isReplaced {
      candidates.append(own)
    }
    self.candidates = candidates
    self.device = device
    owned = Habit.Owner.allCases.filter {
      Self.deliverer($0, of: candidates, at: device) == device
    }
  }

  /// Whether the device delivers the notifications of habits with a policy.
  func owns(_ owner: Habit.Owner) -> Bool { owned.contains(owner) }

  /// Returns the device that delivers the notifications of habits with a policy, or nil if none
  /// may.
  ///
  /// With the policy `both`, it is this device if it may deliver.
  func deliverer(_ owner: Habit.Owner) -> ReplicaID? {
    Self.deliverer(owner, of: candidates.filter { $0.blocked == nil }, at: device)
  }

  private static func deliverer(
    _ owner: Habit.Owner, of candidates: [Device], at device: ReplicaID
  ) -> ReplicaID? {
    let role: Device.Role? =
      switch owner {
      case .phoneFirst, .both: nil
      case .phone: .phone
      case .watch: .watch
      }
    if owner == .both, candidates.contains(where: { $0.replica == device }) { return device }
    return candidates.filter { role == nil || $0.description?.role == role }
      .min { ($0.rank, $0.replica) < ($1.rank, $1.replica) }?.replica
  }

  /// The replicas that another device names as its predecessor, except those that have written an
  /// event since.
  private static func predecessors(of devices: some Collection<Device>) -> Set<ReplicaID> {
    var named: [ReplicaID: Int64] = [:]
    for device in devices {
      guard let predecessor = device.description?.predecessor, predecessor != device.replica,
        let event = device.describedBy
      else { continue }
      let naming = event.timestamp.milliseconds
      named[predecessor] = max(named[predecessor] ?? naming, naming)
    }
    for device in devices {
      if let naming = named[device.replica], let seen = device.lastSeen, seen.milliseconds > naming
      {
        named[device.replica] = nil
      }
    }
    return Set(named.keys)
  }
}

extension Device {
  /// Whether the device can deliver notifications at all.
  fileprivate var mayAlert: Bool {
    blocked == nil && retiredSince == nil && description.map { $0.role != .server } ?? false
  }

  /// Returns the instant until which the device is counted on: `staleHours` after its latest event,
  /// or the end of its published plan's coverage if that is later.
  ///
  /// If a clock on any device was once years ahead, every later event on that device carries a
  /// timestamp at least as far ahead. A latest event that lies too far in the future is therefore
  /// ignored. The published plan's coverage still counts, unless that plan was submitted too far in
  /// the future as well.
  fileprivate func expected(staleHours: Int, now: Instant) -> Instant? {
    let latest = now.adding(seconds: Self.maxSkewSeconds)
    let covered = submittedAt.map { $0 <= latest } ?? true ? coverageUntil : nil
    guard let lastSeen, lastSeen <= latest else { return covered }
    let stale = lastSeen.adding(seconds: staleHours * 3_600)
    return covered.map { max($0, stale) } ?? stale
  }

  /// A clock that was set by hand to another zone's time is off by less than this.
  private static let maxSkewSeconds = 26 * 3_600

  /// The priority of a device in delivering notifications.
  ///
  /// The lowest rank delivers.
  var rank: Int {
    switch description?.role {
    case .phone: 0
    case .tablet: 1
    case .watch: 2
    case .desktop: 3
    case .server, nil: 4
    }
  }
}
