import CarillonModel
import Foundation

/// The requests of one habit: every occurrence, what moves and silences it, what repeats.
struct ReferenceHabit {
  /// One occurrence of a slot, before anything moves it.
  struct Happening: Hashable {
    let slot: Int
    let identity: CivilDateTime
    let number: Int
    let fire: Instant
    let due: CivilDate
    let isShifted: Bool
  }

  /// An occurrence as it rings.
  struct Ring {
    let happening: Happening
    var fire: Instant
    var revision: String
    var isSnoozed = false
    var isPassive = false
    var covers: Set<OccurrenceName> = []
  }

  private(set) var items: [ReferencePlan.Item] = []
  private(set) var places: [ReferencePlan.Item] = []
  private let habit: Habit
  private let fixture: PlanFixture
  private let clock: ReferenceClock
  private let now: Instant
  private let end: Instant

  init(
    _ habit: Habit, _ fixture: PlanFixture, _ clock: ReferenceClock, now: Instant, end: Instant
  ) {
    (self.habit, self.fixture, self.clock) = (habit, fixture, clock)
    (self.now, self.end) = (now, end)
    let timetable = ReferenceTimetable(clock, now: now, days: fixture.horizonDays)
    let happenings = habit.slots.indices.map { timetable.happenings(of: $0, in: habit) }
    var final = quieted(happenings.flatMap { rings($0) })
    for slot in habit.slots.indices {
      addRepeating(slot, happenings[slot], &final)
      if case .place(let place) = habit.slots[slot].rule { add(place, slot) }
    }
    for ring in final where ring.fire > now && ring.fire < end {
      let slot = habit.slots[ring.happening.slot]
      items.append(
        .init(
          fire: ring.fire,
          id: ReferenceID.single(habit, slot, ring.happening.identity, ring.happening.number),
          revision: ring.revision, isPassive: ring.isPassive, covers: ring.covers))
    }
  }

  // MARK: - Snoozes and quiet hours

  /// The occurrences of one slot as they ring, those that are silent left out.
  private func rings(_ happenings: [Happening]) -> [Ring] {
    happenings.indices.compactMap { index in
      let happening = happenings[index]
      var ring = Ring(
        happening: happening, fire: happening.fire,
        revision: happening.number == 0 ? "0" : "r\(happening.number)")
      var ignoresQuiet = false
      if let snooze = snooze(of: happening, before: happenings.dropFirst(index + 1).first),
        let until = snooze.until
      {
        (ring.fire, ring.revision, ring.isSnoozed) = (until, "\(until.milliseconds)", true)
        ignoresQuiet = snooze.ignoresQuietHours
      }
      guard !isSilent(ring) else { return nil }
      if ignoresQuiet { quietless.insert(happening) }
      return ring
    }
  }

  private func snooze(of happening: Happening, before next: Happening?) -> Snooze? {
    (fixture.state.snoozes[habit.id] ?? []).first { snooze in
      guard let until = snooze.until else { return false }
      return snooze.slot == habit.slots[happening.slot].id && snooze.nominal == happening.identity
        && snooze.number == happening.number && next.map { until < $0.fire } ?? true
    }
  }

  private final class Quietless {
    var happenings: Set<Happening> = []
    func insert(_ happening: Happening) { happenings.insert(happening) }
  }

  private let quietless = Quietless()

  private func quieted(_ rings: [Ring]) -> [Ring] {
    var final: [Ring] = []
    var deferred: [Instant: [Ring]] = [:]
    for ring in rings {
      let slot = habit.slots[ring.happening.slot]
      let ignores = quietless.happenings.contains(ring.happening)
      guard !ignores, let until = clock.end(ofQuietAt: ring.fire) else {
        final.append(ring)
        continue
      }
      var ring = ring
      switch slot.quietPolicy {
      case .silent:
        ring.isPassive = true
        final.append(ring)
      case .drop where !ring.isSnoozed: break
      case .drop, .deferred: deferred[until, default: []].append(ring)
      }
    }
    for (until, members) in deferred {
      let names = Set(members.map(name))
      let standing = final.indices.filter { final[$0].fire == until }
      if let stander = standing.min(by: { id(final[$0]) < id(final[$1]) }) {
        final[stander].covers = names.subtracting([name(final[stander])])
      } else if var last = members.max(by: { ($0.fire, id($1)) < ($1.fire, id($0)) }) {
        last.covers = names.subtracting([name(last)])
        last.fire = until
        final.append(last)
      }
    }
    return final
  }

  private func name(_ ring: Ring) -> OccurrenceName {
    OccurrenceName(
      habit: habit.id, slot: habit.slots[ring.happening.slot].id,
      nominal: ring.happening.identity, revision: ring.revision)
  }

  private func id(_ ring: Ring) -> String {
    let slot = habit.slots[ring.happening.slot]
    return ReferenceID.single(habit, slot, ring.happening.identity, ring.happening.number)
  }

  private mutating func add(_ place: Region, _ index: Int) {
    let slot = habit.slots[index]
    let today = clock.due(clock.show(now, clock.calendar(of: slot)))
    let rules = ReferenceRules(habit, fixture)
    guard rules.reason(slot, due: today, at: nil) == nil else { return }
    let trigger =
      "place \(place.latitude),\(place.longitude),\(place.radius) \(place.crossing.rawValue)"
    places.append(.init(fire: nil, id: ReferenceID.repeating(habit, slot, trigger)))
  }

  private func isSilent(_ ring: Ring) -> Bool {
    let slot = habit.slots[ring.happening.slot]
    let rules = ReferenceRules(habit, fixture)
    if rules.reason(slot, due: ring.happening.due, at: ring.fire) != nil { return true }
    return (fixture.state.receipts[habit.id] ?? []).contains { receipt in
      let isDue = receipt.fireAt.map { $0 <= now } ?? false
      return receipt.slot == slot.id && receipt.nominal == ring.happening.identity
        && receipt.revision == ring.revision && (receipt.state != .submitted || isDue)
    }
  }

  // MARK: - Repeating requests

  /// Takes what repeats out of the single rings.
  private mutating func addRepeating(
    _ index: Int, _ happenings: [Happening], _ final: inout [Ring]
  ) {
    let slot = habit.slots[index]
    guard let shape = ReferenceShape(slot, habit, clock, now: now) else { return }
    let coming = happenings.filter { $0.fire > now }
    for time in Set(coming.map { shape.isInterval ? .midnight : $0.identity.time }) {
      let own = coming.filter { shape.isInterval || $0.identity.time == time }
      var next: [String: Happening] = [:]
      for one in own where next[shape.trigger(one.identity)] == nil {
        next[shape.trigger(one.identity)] = one
      }
      let looked = Set(own.filter { $0.fire < end } + next.values)
      let rung = final.filter { looked.contains($0.happening) }
      let isUniform =
        rung.count == looked.count && Set(rung.map(\.isPassive)).count == 1
        && rung.allSatisfy {
          $0.fire == $0.happening.fire && !$0.isSnoozed && !$0.happening.isShifted
        }
      guard isUniform else { continue }
      for (trigger, one) in next {
        guard let ring = final.first(where: { $0.happening == one }) else { continue }
        items.append(
          .init(
            fire: one.fire, id: ReferenceID.repeating(habit, slot, trigger),
            revision: ring.revision, isPassive: ring.isPassive, covers: ring.covers))
      }
      final.removeAll { own.contains($0.happening) && !$0.isSnoozed }
    }
  }
}
