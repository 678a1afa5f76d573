import CarillonModel
import Foundation

/// The plan as the specification defines it, computed by expanding every date and sorting.
///
/// Slow, and shares no code with the planner except the types of the domain.
struct ReferencePlan {
  /// One request of the plan.
  struct Item: Hashable {
    /// Nil for a place.
    let fire: Instant?
    let id: String
    var revision = "0"
    var isPassive = false
    var covers: Set<OccurrenceID> = []

    var order: (Instant, String) { (fire ?? Instant(milliseconds: .max), id) }
  }

  /// Sorted by instant and ID, without a limit on capacity.
  private(set) var items: [Item] = []
  private(set) var places: [Item] = []
  private let fixture: PlanFixture
  private let clock: ReferenceClock
  private let now: Instant
  private let end: Instant

  init(_ random: RandomPlan) {
    fixture = random.fixture
    now = random.now
    clock = ReferenceClock(fixture.zone, store: fixture.store)
    end = clock.midnight(after: fixture.horizonDays, from: now)
    let election = ReferenceElection(fixture, now: now)
    var groups: [String: String] = [:]
    for habit in fixture.state.habits.values where election.owns(habit.owner) {
      let found = ReferenceHabit(habit, fixture, clock, now: now, end: end)
      for item in found.items { groups[item.id] = habit.group ?? "" }
      items += found.items
      places += found.places
    }
    items.sort { $0.order < $1.order }
    places.sort { $0.id < $1.id }
    if let rule = fixture.store.digest { items = ReferenceDigest(rule, groups).apply(items) }
  }

  /// Whether the last place goes to a request to open the app.
  private var asks: Bool {
    fixture.store.asksToOpen && fixture.capacity > 1 && items.count > fixture.capacity
  }

  private var timedCount: Int { asks ? fixture.capacity - 1 : fixture.capacity }

  var taken: [Item] {
    var taken = Array(items.prefix(timedCount))
    if asks {
      let id = "c1o." + ReferenceID.hash("carillon.open.v1", PlanFixture.device.bytes)
      taken.append(Item(fire: coverageUntil, id: id, revision: "open"))
      taken.sort { $0.order < $1.order }
    }
    return taken + places.prefix(fixture.capacity - taken.count)
  }

  var droppedCount: Int {
    min(1_000, items.count + places.count - taken.count + (asks ? 1 : 0))
  }

  var coverageUntil: Instant { min(end, items.dropFirst(timedCount).first?.fire ?? end) }
}

/// The digests of requests of one group.
struct ReferenceDigest {
  private let rule: DigestRule
  private let groups: [String: String]

  init(_ rule: DigestRule, _ groups: [String: String]) {
    self.rule = rule
    self.groups = groups
  }

  func apply(_ items: [ReferencePlan.Item]) -> [ReferencePlan.Item] {
    var (rest, given): ([ReferencePlan.Item], [ReferencePlan.Item]) = (items, [])
    while let first = rest.first, let fire = first.fire {
      let last = Instant(milliseconds: fire.milliseconds + Int64(rule.seconds) * 1_000)
      let members = rest.filter { item in
        item.id.hasPrefix("c1.") && item.fire.map { $0 < last } ?? false
          && groups[item.id] == groups[first.id]
      }
      guard first.id.hasPrefix("c1."), members.count > rule.count else {
        given.append(rest.removeFirst())
        continue
      }
      rest.removeAll { members.contains($0) }
      rest.append(digest(members, at: fire))
      rest.sort { $0.order < $1.order }
    }
    return given
  }

  private func digest(_ members: [ReferencePlan.Item], at fire: Instant) -> ReferencePlan.Item {
    let minute = UInt64(bitPattern: fire.milliseconds / 60_000)
    let bytes = stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: minute >> $0) }
    let group = Array((groups[members[0].id] ?? "").utf8)
    return ReferencePlan.Item(
      fire: fire, id: "c1d." + ReferenceID.hash("carillon.digest.v1", group + bytes),
      revision: members[0].revision)
  }
}

/// The habits whose notifications a device delivers.
struct ReferenceElection {
  private let candidates: [Device]
  private let own: Device?

  init(_ fixture: PlanFixture, now: Instant) {
    let devices = Array(fixture.state.devices.values)
    let isNamed: (Device) -> Bool = { device in
      devices.contains { other in
        guard other.replica != device.replica, let event = other.describedBy else { return false }
        let naming = event.timestamp.milliseconds
        return other.description?.predecessor == device.replica
          && (device.lastSeen.map { $0.milliseconds <= naming } ?? true)
      }
    }
    candidates = devices.filter { device in
      if device.description?.role == .server || isNamed(device) { return false }
      if device.replica == PlanFixture.device { return true }
      let stale = Int64(fixture.store.staleHours) * 3_600_000
      let seen = device.lastSeen.map { $0.milliseconds + stale } ?? .min
      let covered = device.coverageUntil?.milliseconds ?? .min
      return device.description != nil && device.blocked == nil
        && now.milliseconds < max(seen, covered)
    }
    own = candidates.first { $0.replica == PlanFixture.device }
  }

  func owns(_ owner: Habit.Owner) -> Bool {
    let ranked = candidates.sorted { (rank($0), $0.replica) < (rank($1), $1.replica) }
    switch owner {
    case .both: return own != nil
    case .phoneFirst: return own != nil && ranked.first?.replica == own?.replica
    case .phone, .watch:
      let role = owner == .phone ? Device.Role.phone : .watch
      let first = ranked.first { $0.description?.role == role }
      return own != nil && first?.replica == own?.replica
    }
  }

  private func rank(_ device: Device) -> Int {
    let roles: [Device.Role] = [.phone, .tablet, .watch, .desktop]
    return roles.firstIndex { $0 == device.description?.role } ?? roles.count
  }
}
