import Carillon
import CarillonModel
import CarillonTesting
import Foundation

/// Compares what a device fired since its system was given a plan with what it had to fire.
extension SimulatedLife {
  /// Compares what a device fired since its system was last given a plan with what it had to fire.
  func converge(_ index: Int) async {
    let device = devices[index]
    let firings = Array(await device.scheduler.system.firings.dropFirst(device.judged))
    devices[index].judged += firings.count
    guard let given = device.application else {
      if !firings.isEmpty { fail("\(index) fired before it was given anything") }
      return
    }
    var due = expected(of: device, given)
    let digests = demandedDigests(of: index, given, due)
    for firing in firings {
      guard let held = await device.scheduler.request(of: firing) else {
        fail("\(index) fired \(firing.id), which its system was never given")
        continue
      }
      let request = given.requests[firing.id] ?? held
      let all = names(of: firing, request)
      let isDigest = firing.id.request?.kind == .digest
      let own = isDigest ? all.filter { due[$0] != nil } : Array(all.prefix(1))
      let found = own.compactMap { due.removeValue(forKey: $0)?.due }
      let isAfterCut = given.cut.map { $0.excuse == .revoked && firing.at > $0.at } ?? false
      for name in own {
        heard.append(
          Heard(
            firing: name, at: firing.at, device: index, repeats: request.repeats,
            claim: given.claim,
            applied: given.at, isExcused: isAfterCut))
      }
      guard !isAfterCut, !(request.repeats && comesTwice(all[0], given)) else { continue }
      let problem =
        isDigest
        ? problem(ofDigest: firing, of: all, found)
        : problem(of: firing, request, of: all, found.first)
          ?? (found.isEmpty ? whyNot(all[0], device, given) : nil)
      if let problem { fail("\(device.role) fired \(all[0]) at \(firing.at.text): \(problem)") }
    }
    await demand(digests, of: device, among: firings, given)
    for (name, missed) in due where missed.due.at <= now {
      if let excuse = missed.excuse {
        excuses[name, default: []].append(excuse)
      } else if !heard.contains(where: { $0.firing == name && $0.at <= missed.due.at }) {
        fail(
          "\(device.role) was silent: \(name) at \(missed.due.at.text), given at \(given.at.text)")
      }
    }
  }

  /// Returns the problem with a firing; nil if there is none, or if nothing had to fire.
  private func problem(
    of firing: StandInScheduler.Firing, _ request: NotificationRequest, of names: [LifeFiring],
    _ expected: LifeOracle.Due?
  ) -> String? {
    guard let expected else { return nil }
    if expected.at != firing.at { return "not at \(expected.at.text)" }
    if expected.isPassive != (request.content.level == .passive) {
      return "level \(request.content.level?.rawValue ?? "none")"
    }
    let covers = Set(names.dropFirst())
    return covers == expected.covers ? nil : "for \(covers), not \(expected.covers)"
  }

  /// Checks that a digest covers exactly the reminders within its time, and more than the limit.
  private func problem(
    ofDigest firing: StandInScheduler.Firing, of names: [LifeFiring], _ members: [LifeOracle.Due]
  ) -> String? {
    guard let rule = plot.digest else { return "there are no digests" }
    let covered = Set(members.flatMap { $0.covers.union([$0.firing]) })
    if Set(names) != covered { return "for \(names), not \(covered)" }
    if members.count <= rule.count { return "only \(members.count)" }
    let end = firing.at.later(rule.seconds)
    if let late = members.first(where: { $0.at < firing.at || $0.at >= end }) {
      return "for what is due at \(late.at.text)"
    }
    return members.contains { $0.at == firing.at } ? nil : "none is due then"
  }

  private func whyNot(
    _ name: LifeFiring, _ device: LifeDevice, _ given: LifeDevice.Application
  ) -> String {
    guard let habit = given.state.habits[name.habit] else { return "unknown habit" }
    if given.isBlocked { return "it may not deliver anything" }
    if !device.reminds(of: habit, given.claim) { return "the other device fires" }
    if !habit.occurs(at: name.nominal) { return "there is no such occurrence" }
    return given.state.suppression(habit, due: oracle.due(name.nominal)) ?? "not due"
  }

  /// Whether people travelled west across a reminder, so that a request that the system repeats
  /// fires again.
  private func comesTwice(_ name: LifeFiring, _ given: LifeDevice.Application) -> Bool {
    given.state.habits[name.habit].map { zones.fires(name.nominal, of: $0).count > 1 } ?? false
  }

  /// Returns what a firing covers: its own occurrence, then the others.
  func names(of firing: StandInScheduler.Firing, _ request: NotificationRequest) -> [LifeFiring] {
    var nominal = request.occurrence.nominal
    if request.repeats {
      let zone = request.trigger.zone.flatMap(TimeZone.init(identifier:))
      let shown = LifeZones.civil(firing.at, in: zone ?? zones.zone(at: firing.at))
      nominal = CivilDateTime(date: shown.date, time: nominal.time)
    }
    let own = LifeFiring(
      habit: request.habit, nominal: nominal, revision: request.occurrence.revision)
    return [own]
      + request.alsoRepresents.map {
        LifeFiring(habit: $0.habit, nominal: $0.nominal, revision: $0.revision)
      }
  }
}

// MARK: - The whole life

extension SimulatedLife {
  /// Judges the whole life: what fired twice, and what was wanted and stayed silent.
  func judge() -> (tally: Tally, violations: [String]) {
    var tally = Tally()
    tally.digests = digestCount
    var violations = violations
    let habits = state(of: facts.indices).habits
    // For habits that intentionally fire on both devices, each device is judged alone.
    let alone = Dictionary(grouping: heard) { heard in
      Alone(
        firing: heard.firing,
        device: habits[heard.firing.habit]?.owner == .both ? heard.device : nil)
    }
    for (name, firings) in alone.map({ ($0.key.firing, $0.value) }) {
      let firings = firings.sorted { $0.at < $1.at }
      for (first, second) in zip(firings, firings.dropFirst()) {
        if let excuse = excuse(first, second) {
          tally.twice[excuse, default: 0] += 1
        } else {
          violations.append("fired twice: \(name): \(first.text), \(second.text)")
        }
      }
    }
    let times = Dictionary(grouping: heard, by: \.firing)
    for due in wanted() {
      tally.wanted += 1
      if times[due.firing]?.contains(where: { $0.at <= due.at }) ?? false {
        tally.fired += 1
      } else {
        // A reminder that no device had to fire was unknown to all of them, since required firings
        // are compared above. A reminder that one device presumes of the other must be fired by the
        // other, or is excused.
        let all = excuses[due.firing] ?? []
        let excuse = all.first { $0 != .presumed } ?? all.first ?? .notTold
        if excuse == .presumed {
          violations.append("each presumed that the other fired: \(due.firing) at \(due.at.text)")
        }
        tally.silent[excuse, default: 0] += 1
      }
    }
    return (tally, violations)
  }

  private struct Alone: Hashable {
    let firing: LifeFiring
    let device: Int?
  }

  private func state(of known: Range<Int>) -> LifeState {
    LifeState(known.map { ($0, facts[$0].fact) })
  }

  /// Returns what an observer who knows everything immediately wants to fire.
  private func wanted() -> [LifeOracle.Due] {
    var wanted: [LifeFiring: LifeOracle.Due] = [:]
    for index in facts.indices {
      let end = facts.indices.contains(index + 1) ? facts[index + 1].at : now
      guard end > facts[index].at else { continue }
      let state = state(of: facts.startIndex..<index + 1)
      for due in oracle.firings(state, after: facts[index].at, through: end)
      where wanted[due.firing] == nil {
        wanted[due.firing] = due
      }
    }
    return Array(wanted.values)
  }

  /// Returns the excuse for something that fired twice.
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
