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
    var revision = OccurrenceID.Revision.first
    var isPassive = false
    var covers: Set<OccurrenceID> = []
    var schedule: ScheduleID?
    /// The time of day that names the occurrence.
    var time: TimeOfDay?
    var isOnce = false
    /// The requests that form a digest.
    var members: [Item] = []

    /// The schedules whose occurrences the request represents, or only those not snoozed.
    func schedules(withSnoozed: Bool) -> Set<ScheduleID> {
      let own = [(schedule, revision)] + covers.map { ($0.schedule, $0.revision) }
      return Set(own.lazy.filter { withSnoozed || !$0.1.isSnoozed }.compactMap(\.0))
    }

    var isSnooze: Bool { revision.isSnoozed || covers.contains { $0.revision.isSnoozed } }

    var parts: [Item] { members.isEmpty ? [self] : members }

    var order: (Instant, String) { (fire ?? Instant(milliseconds: .max), id) }
  }

  /// All requests with an instant, sorted by instant and ID.
  private(set) var items: [Item] = []
  /// The requests after digests are formed.
  private var digested: [Item] = []
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
    let owned = fixture.state.habits.values.filter { election.owns($0.owner) }
    let gathered = fixture.store.digest.map { rule in
      // As if the system repeated nothing but intervals.
      let singles = Self.items(of: owned) { habit in
        ReferenceHabit(habit, fixture, clock, now: now, end: end) { _, _ in true }
      }
      return Set(
        ReferenceDigest(rule, singles.groups).apply(singles.items).flatMap(\.members)
          .map { Time(schedule: $0.schedule, time: $0.time) })
    }
    let found = Self.items(of: owned) { habit in
      ReferenceHabit(habit, fixture, clock, now: now, end: end) { schedule, time in
        gathered?.contains(Time(schedule: schedule, time: time)) ?? false
      }
    }
    (items, places) = (found.items, found.places)
    places.sort { $0.id < $1.id }
    digested = fixture.store.digest.map { ReferenceDigest($0, found.groups).apply(items) } ?? items
    choose(room: fixture.capacity)
    if fixture.store.asksToOpen, fixture.capacity > 1, next != nil {
      asks = true
      choose(room: fixture.capacity - 1)
    }
  }

  /// A time of day of a schedule.
  private struct Time: Hashable {
    let schedule: ScheduleID?
    let time: TimeOfDay?
  }

  /// Returns the requests of some habits, sorted, and the group of each by its ID.
  private static func items(
    of habits: [Habit], _ reference: (Habit) -> ReferenceHabit
  ) -> (items: [Item], places: [Item], groups: [String: String]) {
    var (items, places, groups): ([Item], [Item], [String: String]) = ([], [], [:])
    for habit in habits {
      let found = reference(habit)
      for item in found.items { groups[item.id] = habit.group ?? "" }
      items += found.items
      places += found.places
    }
    return (items.sorted { $0.order < $1.order }, places, groups)
  }

  /// The requests with an instant that fit, in any order, and the first that does not.
  private var chosen: [Item] = []
  private(set) var next: Item?
  private var asks = false

  /// Chooses by the classes of the specification.
  private mutating func choose(room: Int) {
    var reserved = Array(items.filter(\.isSnooze).prefix(room))
    let half = min(room, max(fixture.capacity / 2, reserved.count))
    var placeCount = min(places.count, half - reserved.count)
    let once = items.filter { $0.isOnce && !reserved.contains($0) }
    reserved += once.prefix(half - reserved.count - placeCount)
    var seen: Set<ScheduleID> = []
    let nexts = items.filter { item in
      item.schedules(withSnoozed: false).filter { seen.insert($0).inserted }.isEmpty == false
    }
    reserved += nexts.filter { !reserved.contains($0) }
      .prefix(room - reserved.count - placeCount)
    placeCount = min(places.count, room - reserved.count)
    (chosen, next) = ([], nil)
    for item in digested {
      let held = reserved.filter(item.parts.contains)
      guard chosen.count + reserved.count + placeCount + 1 - held.count <= room else {
        next = item
        break
      }
      chosen.append(item)
      reserved.removeAll(where: held.contains)
    }
    chosen += reserved
  }

  /// The first instant at which each schedule has a request that does not fit.
  var leftOut: [ScheduleID: Instant] {
    let fitting = Set(chosen.flatMap(\.parts))
    var found: [ScheduleID: Instant] = [:]
    for item in items where !fitting.contains(item) {
      for schedule in item.schedules(withSnoozed: true) where found[schedule] == nil {
        found[schedule] = item.fire
      }
    }
    return found
  }

  var taken: [Item] {
    var taken = chosen
    if asks {
      let id = "c1o." + ReferenceID.hash("carillon.open.v1", PlanFixture.device.bytes)
      taken.append(Item(fire: coverageUntil, id: id, revision: next?.revision ?? .first))
    }
    taken.sort { $0.order < $1.order }
    return taken + places.prefix(fixture.capacity - taken.count)
  }

  var droppedCount: Int {
    min(1_000, items.count + places.count - taken.count + (asks ? 1 : 0))
  }

  var coverageUntil: Instant { min(end, next?.fire ?? end) }
}

extension OccurrenceID.Revision {
  fileprivate var isSnoozed: Bool { if case .snoozed = self { true } else { false } }
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
        item.isMergeable && item.fire.map { $0 < last } ?? false
          && groups[item.id] == groups[first.id]
      }
      guard first.isMergeable, members.count > rule.count else {
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
      revision: members[0].revision, members: members)
  }
}

extension ReferencePlan.Item {
  fileprivate var isMergeable: Bool { id.hasPrefix("c1.") && !revision.isSnoozed }
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
    let others = devices.filter { device in
      guard device.replica != PlanFixture.device, device.description?.role != .server,
        !isNamed(device)
      else { return false }
      let stale = Int64(fixture.store.staleHours) * 3_600_000
      let seen = device.lastSeen.map { $0.milliseconds + stale } ?? .min
      let covered = device.coverageUntil?.milliseconds ?? .min
      return device.description != nil && device.blocked == nil
        && now.milliseconds < max(seen, covered)
    }
    own = devices.first {
      $0.replica == PlanFixture.device && $0.description?.role != .server
        && (others.isEmpty || !isNamed($0))
    }
    candidates = others + (own.map { [$0] } ?? [])
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
