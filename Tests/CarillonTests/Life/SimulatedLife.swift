import Carillon
import CarillonModel
import CarillonTesting
import Foundation

/// Days of a phone and a watch: apps that are opened at random times or not at all for a day,
/// clocks over DST changes and travels, permission taken and given, restarts, syncs.
///
/// What must ring is read by an oracle from the facts that each device had when its system was last
/// given a plan; between two such moments the rings of a device are exactly those.
final class SimulatedLife {
  /// What the lives came to.
  struct Tally {
    var wanted = 0
    var rang = 0
    var silent: [LifeExcuse: Int] = [:]
    var twice: [LifeExcuse: Int] = [:]

    static func += (left: inout Tally, right: Tally) {
      left.wanted += right.wanted
      left.rang += right.rang
      left.silent.merge(right.silent, uniquingKeysWith: +)
      left.twice.merge(right.twice, uniquingKeysWith: +)
    }
  }

  /// A ring that was heard.
  struct Heard {
    let ring: LifeRing
    let at: Instant
    let device: Int
    let repeats: Bool
    let claim: LifeDevice.Claim
    /// The device's last application before it.
    let applied: Instant
    let isExcused: Bool

    var text: String {
      "by \(device) at \(at.text), claim \(claim), repeats \(repeats), "
        + "given at \(applied.text)"
    }
  }

  let plot: LifePlot
  let clock: ManualClock
  let zone: LifeZone
  var random: SeededGenerator
  var zones: LifeZones
  var facts: [(at: Instant, fact: LifeFact)] = []
  var devices: [LifeDevice] = []
  var pauseCount = 0
  private(set) var heard: [Heard] = []
  private(set) var violations: [String] = []
  private var excuses: [LifeRing: [LifeExcuse]] = [:]

  var now: Instant { clock.now }
  var oracle: LifeOracle { LifeOracle(zones: zones, dayStart: plot.dayStart) }

  init(seed: UInt64, in directory: URL) async throws {
    random = SeededGenerator(seed: seed)
    plot = LifePlot(using: &random)
    clock = ManualClock(plot.start)
    zone = LifeZone(plot.zone)
    zones = LifeZones(plot.zone)
    let (clock, zone) = (clock, zone)
    let options = StoreOptions(
      clock: { clock.now }, zone: { zone.zone }, capacity: plot.capacity)
    let phone = try await Store.create(
      at: directory.appending(path: "phone"), replica: "phone", options: options)
    let watch = try await Store.clone(
      phone, at: directory.appending(path: "watch"), replica: "watch", role: .watch,
      options: options
    ).store
    for (store, role) in [(phone, Device.Role.phone), (watch, .watch)] {
      let system = StandInScheduler(clock: clock, zone: plot.zone, limit: plot.capacity)
      let sight = LifeDevice.Sight(lastWrite: clock.now)
      devices.append(
        LifeDevice(
          role: role, store: store, scheduler: TellingScheduler(system, clock), own: sight,
          other: sight, permissionChanges: [clock.now], syncs: [clock.now]))
    }
    try await begin()
  }

  func close() async {
    for device in devices { await device.store.close() }
  }

  private func begin() async throws {
    for (name, value) in plot.settings { try await devices[0].store.set(name, to: value) }
    for device in devices {
      try await device.store.setPermission(Self.granted)
      try await device.store.setAlerts(true)
    }
    learn(0, .active(oracle.today(now)))
    learn(1, .active(oracle.today(now)))
    for _ in 0..<Int.random(in: 2...5, using: &random) { try await addHabit(0) }
    try await sync()
  }

  static let granted = Permission(status: .authorized, options: [.alert, .sound, .badge])

  // MARK: - The life

  /// Lives all its days; then everything is judged.
  func live() async throws {
    for (at, turn) in plot.turns(using: &random) {
      clock.advance(seconds: (at.milliseconds - now.milliseconds) / 1_000)
      try await take(turn)
    }
    for device in devices.indices { await settle(device) }
  }

  private func take(_ turn: LifePlot.Turn) async throws {
    switch turn {
    case .wake(let device): try await open(device)
    case .act(let device):
      try await act(device)
      // Now and then the app is ended before it gives the system its plan.
      if !random.oneIn(10) { try await open(device) }
    case .sync: try await sync()
    case .reboot(let device):
      await devices[device].scheduler.system.reboot()
      devices[device].reboots.append(now)
      devices[device].application?.cut(at: now, .reboot)
    case .revoke(let device): await allow(false, device)
    case .grant(let device): await allow(true, device)
    case .travel(let target):
      zones.travel(to: target, at: now)
      zone.zone = target
      for device in devices { await device.scheduler.system.travel(to: target) }
    }
  }

  private func allow(_ isAllowed: Bool, _ device: Int) async {
    let system = devices[device].scheduler.system
    if isAllowed { await system.grant() } else { await system.revoke() }
    devices[device].isAllowed = isAllowed
    devices[device].permissionChanges.append(now)
    devices[device].application?.cut(at: now, .revoked)
  }

  /// Tells a device, by the fact's index, what was done.
  func learn(_ device: Int, _ fact: LifeFact) {
    devices[device].knows.insert(facts.count)
    facts.append((now, fact))
  }

  /// What a device knows.
  func state(of device: Int) -> LifeState {
    LifeState(devices[device].knows.sorted().map { ($0, facts[$0].fact) })
  }

  /// The app looks what the system allows.
  private func tellPermission(_ device: Int) async throws {
    let isAllowed = devices[device].isAllowed
    guard devices[device].isToldAllowed != isAllowed else { return }
    let permission = isAllowed ? Self.granted : Permission(status: .denied)
    try await devices[device].store.setPermission(permission)
    devices[device].isToldAllowed = isAllowed
    devices[device].permissionChanges.append(now)
    devices[device].own.isBlocked = !isAllowed
    wrote(device)
    learn(device, .active(oracle.today(now)))
  }

  func wrote(_ device: Int) { devices[device].own.lastWrite = now }

  /// The app runs for a moment: the system gets its plan.
  func open(_ index: Int) async throws {
    try await tellPermission(index)
    await settle(index)
    devices[index].openings.append(now)
    let device = devices[index]
    if random.oneIn(12) { await device.scheduler.system.refuse(1, 3) }
    var applied = try await device.store.apply(to: device.scheduler)
    noteSubmission(index, applied)
    await device.scheduler.system.refuse()
    if !applied.isComplete {
      applied = try await device.store.apply(to: device.scheduler)
      noteSubmission(index, applied)
    }
    devices[index].application = LifeDevice.Application(
      at: now, coverage: applied.coverageUntil, state: state(of: index),
      claim: device.claim(at: now), isBlocked: !device.isToldAllowed)
    await checkSystem(index, applied)
  }

  private func noteSubmission(_ index: Int, _ applied: AppliedPlan) {
    if !applied.written.events.isEmpty { wrote(index) }
    if applied.written.events.contains(where: { $0.type == "plan.submitted" }) {
      devices[index].own.coverage = devices[index].isToldAllowed ? applied.coverageUntil : nil
    }
  }

  /// The system never holds more than it keeps, and nothing while it may show nothing.
  private func checkSystem(_ index: Int, _ applied: AppliedPlan) async {
    let held = await devices[index].scheduler.scheduled().count
    if held > plot.capacity { fail("\(held) requests on \(index)") }
    if !devices[index].isToldAllowed && held > 0 { fail("\(held) requests though blocked") }
    if !applied.isComplete { fail("refused twice on \(index): \(applied.failures)") }
  }

  /// The two sync, both apps being open; each then gives its system the plan.
  func sync() async throws {
    for device in devices.indices { try await tellPermission(device) }
    try await devices[0].store.sync(with: devices[1].store)
    let all = devices[0].knows.union(devices[1].knows)
    (devices[0].other, devices[1].other) = (devices[1].own, devices[0].own)
    for device in devices.indices {
      devices[device].knows = all
      devices[device].syncs.append(now)
    }
    for device in devices.indices.shuffled(using: &random) { try await open(device) }
  }

  // MARK: - Judging

  func fail(_ text: String) { violations.append("\(now.text): \(text)") }

  /// Compares what a device rang since its system was last given a plan with what it had to.
  private func settle(_ index: Int) async {
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
        } else {
          nil
        }
      expected[due.ring] = (due.at, excuse)
    }
    return expected
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
        // compared above.
        let excuse = excuses[due.ring]?.first ?? .notTold
        tally.silent[excuse, default: 0] += 1
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

extension Instant {
  /// RFC 3339 in UTC.
  var text: String { rfc3339(offsetSeconds: 0) }
}
