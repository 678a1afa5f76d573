import Carillon
import CarillonModel
import CarillonTesting
import Foundation

/// What a device rang since its system was given a plan, against what it had to ring.
extension SimulatedLife {
  /// Compares what a device rang since its system was last given a plan with what it had to.
  func settle(_ index: Int) async {
    let device = devices[index]
    let rings = Array(await device.scheduler.system.rings.dropFirst(device.judged))
    devices[index].judged += rings.count
    guard let given = device.application else {
      if !rings.isEmpty { fail("\(index) rang before it was given anything") }
      return
    }
    var due = expected(of: device, given)
    for ring in rings {
      guard let request = await device.scheduler.request(of: ring) else {
        fail("\(index) rang \(ring.id), which nobody gave it")
        continue
      }
      let name = name(of: ring, request)
      let expected = due.removeValue(forKey: name)
      let isAfterCut = given.cut.map { $0.excuse == .revoked && ring.at > $0.at } ?? false
      let comesTwice = given.state.habits[name.habit].map {
        zones.fires(name.nominal, of: $0).count > 1
      }
      let isExcused = isAfterCut || comesTwice ?? false
      heard.append(
        Heard(
          ring: name, at: ring.at, device: index, repeats: request.repeats, claim: given.claim,
          applied: given.at, isExcused: isAfterCut))
      if expected == nil && !isExcused {
        fail("\(device.role) rang \(name) at \(ring.at.text): \(whyNot(name, device, given))")
      } else if let expected, expected.at != ring.at, !isExcused {
        fail("\(device.role) rang \(name) at \(ring.at.text), not at \(expected.at.text)")
      }
    }
    for (name, missed) in due {
      if let excuse = missed.excuse {
        excuses[name, default: []].append(excuse)
      } else {
        fail("\(device.role) was silent: \(name) at \(missed.at.text), given at \(given.at.text)")
      }
    }
  }

  private func whyNot(
    _ name: LifeRing, _ device: LifeDevice, _ given: LifeDevice.Application
  ) -> String {
    guard let habit = given.state.habits[name.habit] else { return "unknown habit" }
    if given.isBlocked { return "it may show nothing" }
    if !device.reminds(of: habit, given.claim) { return "the other device rings" }
    if !habit.occurs(at: name.nominal) { return "there is no such occurrence" }
    return given.state.silence(habit, due: oracle.due(name.nominal)) ?? "not due"
  }

  /// What a device had to ring since it was given a plan, and what excuses it from that.
  private func expected(
    of device: LifeDevice, _ given: LifeDevice.Application
  ) -> [LifeRing: (at: Instant, excuse: LifeExcuse?)] {
    let travelled = zones.segments.contains { $0.from > given.at && $0.from <= now }
    let margin: Int64 = travelled ? 86_400_000 : 0
    var expected: [LifeRing: (at: Instant, excuse: LifeExcuse?)] = [:]
    for due in oracle.rings(given.state, after: given.at, through: now) {
      guard let habit = given.state.habits[due.ring.habit], device.reminds(of: habit, given.claim)
      else { continue }
      let excuse: LifeExcuse? =
        if given.isBlocked {
          .blocked
        } else if let cut = given.cut, due.at > cut.at {
          cut.excuse
        } else if due.at >= given.coverage {
          .coverage
        } else if due.comesTwice || due.at.milliseconds >= given.coverage.milliseconds - margin {
          .travel
        } else if isPresumed(due.ring, by: device, given) {
          .presumed
        } else {
          nil
        }
      expected[due.ring] = (due.at, excuse)
    }
    return expected
  }

  /// Whether a device had to presume that something was shown before people travelled.
  private func isPresumed(
    _ ring: LifeRing, by device: LifeDevice, _ given: LifeDevice.Application
  ) -> Bool {
    guard zones.segments.count > 1 else { return false }
    let other = devices[device.role == .phone ? 1 : 0]
    let isLost = device.reboots.contains { $0 <= given.at }
    return wasDue(ring, other.role, other.applications.prefix(given.knownPlans), by: given.at)
      || isLost && wasDue(ring, device.role, device.applications.dropLast(), by: given.at)
  }

  /// Whether what a system was given came due by an instant in the zone in which it was given.
  private func wasDue(
    _ ring: LifeRing, _ role: Device.Role, _ given: ArraySlice<LifeDevice.Application>,
    by end: Instant
  ) -> Bool {
    given.indices.contains { index in
      let one = given[index]
      let next = given.indices.contains(index + 1) ? given[index + 1].at : end
      guard !one.isBlocked, let habit = one.state.habits[ring.habit],
        LifeDevice.reminds(role, of: habit, one.claim)
      else { return false }
      let there = LifeOracle(zones: zones.staying(since: one.at), dayStart: plot.dayStart)
      return there.rings(one.state, after: one.at, through: min(next, end))
        .contains { $0.ring == ring && $0.at < one.coverage }
    }
  }

  private func name(of ring: StandInScheduler.Ring, _ request: Request) -> LifeRing {
    var nominal = request.identity
    if request.repeats {
      let zone = RequestTrigger(request.trigger)?.zone.flatMap(TimeZone.init(identifier:))
      let shown = LifeZones.civil(ring.at, in: zone ?? zones.zone(at: ring.at))
      nominal = CivilDateTime(date: shown.date, time: nominal.time)
    }
    return LifeRing(habit: request.habit, nominal: nominal, revision: request.revision)
  }
}

// MARK: - The whole life

extension SimulatedLife {
  /// Judges the life as a whole: what rang twice, and what was wanted and stayed silent.
  func judge() -> (tally: Tally, violations: [String]) {
    var tally = Tally()
    var violations = violations
    for (name, rings) in Dictionary(grouping: heard, by: \.ring) {
      let rings = rings.sorted { $0.at < $1.at }
      for (first, second) in zip(rings, rings.dropFirst()) {
        if let excuse = excuse(first, second) {
          tally.twice[excuse, default: 0] += 1
        } else {
          violations.append("rang twice: \(name): \(first.text), \(second.text)")
        }
      }
    }
    let times = Dictionary(grouping: heard, by: \.ring)
    for due in wanted() {
      tally.wanted += 1
      if times[due.ring]?.contains(where: { $0.at <= due.at }) ?? false {
        tally.rang += 1
      } else {
        // What no device had to ring, none had been told of: each ring that one had to give is
        // compared above. What one presumes of the other, that one has to ring.
        let excuse = excuses[due.ring]?.first { $0 != .presumed }
        if excuse == nil && excuses[due.ring] != nil {
          violations.append("nobody rang what was presumed: \(due.ring) at \(due.at.text)")
        }
        tally.silent[excuse ?? .notTold, default: 0] += 1
      }
    }
    return (tally, violations)
  }

  /// What somebody who knows everything at once wants to ring.
  private func wanted() -> [LifeOracle.Due] {
    var wanted: [LifeRing: LifeOracle.Due] = [:]
    for index in facts.indices {
      let end = facts.indices.contains(index + 1) ? facts[index + 1].at : now
      guard end > facts[index].at else { continue }
      let state = LifeState(facts[...index].enumerated().map { ($0.offset, $0.element.fact) })
      for due in oracle.rings(state, after: facts[index].at, through: end)
      where wanted[due.ring] == nil {
        wanted[due.ring] = due
      }
    }
    return Array(wanted.values)
  }

  /// What excuses that something rang twice.
  private func excuse(_ first: Heard, _ second: Heard) -> LifeExcuse? {
    if first.device == second.device {
      guard first.repeats && second.repeats else { return nil }
      let device = devices[first.device]
      let opened = device.openings.first { $0 > first.at } ?? now
      let isLost = device.reboots.contains { $0 > first.at && $0 <= opened }
      let travelled = zones.segments.contains {
        $0.from > second.applied && $0.from <= second.at
      }
      return travelled || isLost ? .repeated : nil
    }
    let (watch, phone) = first.device == 1 ? (first, second) : (second, first)
    if phone.isExcused || watch.isExcused { return .revoked }
    switch watch.claim {
    case .otherStale: return .takeover
    case .otherBlocked:
      let changed = devices[0].permissionChanges.last { $0 <= max(first.at, second.at) }
      let synced = devices[1].syncs.last { $0 <= watch.applied }
      return (changed ?? watch.at) > (synced ?? watch.at) ? .revoked : nil
    case .own, .none: return nil
    }
  }
}
