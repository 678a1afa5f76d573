import CarillonModel
import CarillonTesting
import Foundation

/// What a device has to fire after its system was given a plan, as computed by the oracle.
extension SimulatedLife {
  /// A reminder that a device had to fire, and the excuse if it did not.
  struct Expected {
    let due: LifeOracle.Due
    let excuse: LifeExcuse?
  }

  /// Returns what a device had to fire since it was given a plan, and what a digest may contain.
  func expected(
    of device: LifeDevice, _ given: LifeDevice.Application
  ) -> [LifeFiring: Expected] {
    var expected: [LifeFiring: Expected] = [:]
    let end = now.later(plot.digest?.seconds ?? 0)
    for (due, planned) in oracle.firings(givenAt: given.at, given.state, through: end) {
      guard let habit = given.state.habits[due.firing.habit], device.reminds(of: habit, given.claim)
      else { continue }
      let excuse: LifeExcuse? =
        if given.isBlocked {
          .blocked
        } else if let cut = given.cut, due.at > cut.at {
          cut.excuse
        } else if planned >= (due.firing.isSnoozed ? horizonEnd(of: given) : given.coverage) {
          // A snooze is never pushed out by the capacity.
          .coverage
        } else if due.comesTwice {
          .travel
        } else if isPresumed(due.firing, by: device, given) {
          .presumed
        } else {
          lost(due, by: device, given)
        }
      expected[due.firing] = Expected(due: due, excuse: excuse)
    }
    return expected
  }

  /// Returns why a reminder of the system's previous plan was not delivered although its time
  /// passed.
  ///
  /// This is allowed before a travel and in a digest.
  private func lost(
    _ due: LifeOracle.Due, by device: LifeDevice, _ given: LifeDevice.Application
  ) -> LifeExcuse? {
    guard mayBeDueTwice else { return nil }
    let end = given.at.later(plot.digest?.seconds ?? 0)
    for (one, next) in zip(device.applications, device.applications.dropFirst()) {
      guard let cut = one.cut,
        plot.digest == nil || next.at.later(plot.digest?.seconds ?? 0) > due.at
      else { continue }
      if wasDue(due.firing, device.role, device.applications.dropLast(), by: end) {
        return cut.excuse
      }
    }
    return nil
  }

  /// Whether a reminder may be in the future although its time passed.
  private var mayBeDueTwice: Bool { zones.segments.count > 1 || plot.digest != nil }

  /// Whether a device had to presume that a reminder was delivered before people travelled.
  private func isPresumed(
    _ firing: LifeFiring, by device: LifeDevice, _ given: LifeDevice.Application
  ) -> Bool {
    guard mayBeDueTwice else { return false }
    let isPhone = device.role == .phone
    let other = devices[isPhone ? 1 : 0]
    // The watch yields to the phone. The phone, once opened elsewhere, presumes no delivery of
    // reminders that the watch holds for a time after they left.
    let left = zones.segments.last { $0.from <= given.at }?.from ?? given.at
    let opened = device.openings.first { $0 > left } ?? given.at
    return wasDue(
      firing, other.role, other.applications.prefix(given.knownPlans),
      by: isPhone ? min(opened, given.at) : given.at)
  }

  /// Whether a reminder given to a system came due by an instant, in the zone in which it was
  /// given.
  private func wasDue(
    _ firing: LifeFiring, _ role: Device.Role, _ given: ArraySlice<LifeDevice.Application>,
    by end: Instant
  ) -> Bool {
    given.indices.contains { index in
      let one = given[index]
      let next = given.indices.contains(index + 1) ? given[index + 1].at : end
      guard one.at < end, !one.isBlocked, let habit = one.state.habits[firing.habit],
        LifeDevice.reminds(role, of: habit, one.claim)
      else { return false }
      // A digest fires before the last reminder that it contains.
      let end = min(next, end).later(plot.digest?.seconds ?? 0)
      return oracle(in: zones.staying(since: one.at))
        .firings(one.state, after: one.at, through: end)
        .contains { ($0.firing == firing || $0.covers.contains(firing)) && $0.at < one.coverage }
    }
  }
}

// MARK: - Digests

extension SimulatedLife {
  /// A digest that a device had to fire.
  struct DemandedDigest {
    let at: Instant
    let names: Set<LifeFiring>
  }

  /// Returns the digests that the rule requires of the reminders that a device had to fire since it
  /// was given a plan: one for more than a number of reminders within a number of seconds, except
  /// snoozed ones and intervals that the system repeats.
  ///
  /// Returns none if the device is excused from one of the reminders, since it may or may not have
  /// planned it.
  func demandedDigests(
    of index: Int, _ given: LifeDevice.Application, _ expected: [LifeFiring: Expected]
  ) -> [DemandedDigest] {
    guard let rule = plot.digest, !given.isBlocked,
      expected.values.allSatisfy({ [nil, .coverage, .reboot, .revoked].contains($0.excuse) })
    else { return [] }
    let horizon = horizonEnd(of: given)
    let rung = Set(heard.lazy.filter { $0.device == index && $0.at <= given.at }.map(\.firing))
    var rest = expected.values.map(\.due).filter {
      $0.at < horizon && !$0.firing.isSnoozed && !rung.contains($0.firing)
        && !isRepeatedInterval($0, given)
    }.sorted { $0.at < $1.at }
    var digests: [DemandedDigest] = []
    while let first = rest.first, first.at <= now {
      let end = first.at.later(rule.seconds)
      let members = rest.prefix { $0.at < end }
      guard members.count > rule.count else {
        rest.removeFirst()
        continue
      }
      rest.removeFirst(members.count)
      guard first.at < given.coverage, given.cut.map({ first.at <= $0.at }) ?? true else { break }
      let names = Set(members.flatMap { $0.covers.union([$0.firing]) })
      digests.append(DemandedDigest(at: first.at, names: names))
    }
    return digests
  }

  /// Compares the digests that fired with the required ones.
  func demand(
    _ digests: [DemandedDigest], of device: LifeDevice, among firings: [StandInScheduler.Firing],
    _ given: LifeDevice.Application
  ) async {
    for digest in digests {
      digestCount += 1
      var found: Set<LifeFiring> = []
      for firing in firings where firing.at == digest.at && firing.id.request?.kind == .digest {
        guard let held = await device.scheduler.request(of: firing) else { continue }
        found.formUnion(names(of: firing, given.requests[firing.id] ?? held))
      }
      if found != digest.names {
        fail(
          "\(device.role) did not gather at \(digest.at.text): \(found) for \(digest.names), "
            + "given at \(given.at.text)")
      }
    }
  }

  /// Returns the first instant after the days that a plan covers.
  private func horizonEnd(of given: LifeDevice.Application) -> Instant {
    let zone = zones.zone(at: given.at)
    let today = LifeZones.civil(given.at, in: zone).date
    let end = CivilDateTime(date: today.adding(days: plot.horizonDays), time: .midnight)
    return LifeZones.instant(end, in: zone) ?? given.at
  }

  /// Whether the reminder belongs to an interval that the system repeats by itself.
  private func isRepeatedInterval(_ due: LifeOracle.Due, _ given: LifeDevice.Application) -> Bool {
    guard due.firing.revision == .first, !due.isPutOff else { return false }
    let before = Instant(milliseconds: due.at.milliseconds - 1)
    return given.requests.values.contains { request in
      request.trigger.isInterval && request.habit == due.firing.habit
        && request.trigger.nextFire(
          after: before, in: zones.zone(at: given.at), countedFrom: nil) == due.at
    }
  }
}

extension RequestTrigger {
  fileprivate var isInterval: Bool { if case .every = shape { true } else { false } }
}
