/// Which habits a device reminds of, by what all devices know of each other.
///
/// A pure function of the synced state: devices that hold the same events agree, but that each
/// counts itself as seen now.
struct DeviceElection {
  /// The policies whose habits the device reminds of; so few that none is looked up by a hash.
  private let owned: [Habit.Owner]
  /// When another device is none to be counted on any more, unless it gives a sign of life.
  let changesAt: Instant?

  init(state: borrowing State, device: ReplicaID, staleHours: Int, now: Instant) {
    let own = state.devices[device] ?? Device(replica: device)
    let predecessors = Self.predecessors(of: state.devices.values)
    var candidates: [Device] = []
    var changes: Instant?
    for other in state.devices.values where other.replica != device {
      guard other.mayAlert, !predecessors.contains(other.replica),
        let until = other.expected(staleHours: staleHours, now: now), now < until
      else { continue }
      candidates.append(other)
      changes = min(changes ?? until, until)
    }
    changesAt = changes
    // The device that plans lists its queue as if nothing were blocked.
    guard own.description?.role != .server, !predecessors.contains(device) else {
      owned = []
      return
    }
    func isFirst(_ roles: Set<Device.Role>?) -> Bool {
      guard roles?.contains(own.description?.role ?? .server) ?? true else { return false }
      return candidates.allSatisfy { other in
        guard roles?.contains(other.description?.role ?? .server) ?? true else { return true }
        return (own.rank, own.replica) < (other.rank, other.replica)
      }
    }
    owned = Habit.Owner.allCases.filter { owner in
      switch owner {
      case .both: true
      case .phoneFirst: isFirst(nil)
      case .phone: isFirst([.phone])
      case .watch: isFirst([.watch])
      }
    }
  }

  /// Whether the device reminds of habits with a policy.
  func owns(_ owner: Habit.Owner) -> Bool { owned.contains(owner) }

  /// The replicas that others go on from, but for those that have written since.
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
  /// Whether it shows reminders at all.
  fileprivate var mayAlert: Bool {
    blocked == nil && description.map { $0.role != .server } ?? false
  }

  /// Until when it is counted on: so many hours after its latest event, or as long as its system
  /// misses nothing.
  ///
  /// One clock that was years ahead, on any device, carries the timestamps of all that is written
  /// after it there. What lies so far ahead tells nothing; the plan that was published does, unless
  /// it was made by such a clock.
  fileprivate func expected(staleHours: Int, now: Instant) -> Instant? {
    let latest = now.adding(seconds: Self.maxSkewSeconds)
    let covered = submittedAt.map { $0 <= latest } ?? true ? coverageUntil : nil
    guard let lastSeen, lastSeen <= latest else { return covered }
    let stale = lastSeen.adding(seconds: staleHours * 3_600)
    return covered.map { max($0, stale) } ?? stale
  }

  /// A clock that was set to another zone by hand is ahead by less.
  private static let maxSkewSeconds = 26 * 3_600

  /// Who alerts before whom: the lesser first.
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
