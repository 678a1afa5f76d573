import Carillon
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Foundation

/// Days of a phone and a watch: apps opened at random times or not at all for a day, clocks across
/// DST changes and travels, permission revoked and granted, restarts, syncs.
///
/// An oracle computes what must fire from the facts that each device knew when its system was last
/// given a plan. Between two plans, a device must fire exactly that.
final class SimulatedLife {
  /// The counts of all lives.
  struct Tally {
    var wanted = 0
    var fired = 0
    var digests = 0
    var silent: [LifeExcuse: Int] = [:]
    var twice: [LifeExcuse: Int] = [:]

    static func += (left: inout Tally, right: Tally) {
      left.wanted += right.wanted
      left.fired += right.fired
      left.digests += right.digests
      left.silent.merge(right.silent, uniquingKeysWith: +)
      left.twice.merge(right.twice, uniquingKeysWith: +)
    }
  }

  /// A notification that fired, as perceived by the person.
  struct Heard {
    let firing: LifeFiring
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
  var heard: [Heard] = []
  private(set) var violations: [String] = []
  var excuses: [LifeFiring: [LifeExcuse]] = [:]
  /// The number of digests that were required.
  var digestCount = 0

  var now: Instant { clock.now }
  var oracle: LifeOracle { oracle(in: zones) }

  func oracle(in zones: LifeZones) -> LifeOracle {
    LifeOracle(zones: zones, dayStart: plot.dayStart, quietHours: plot.quietHours)
  }

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
          role: role, store: store, scheduler: RecordingScheduler(system, clock), own: sight,
          other: sight, permissionChanges: [clock.now], syncs: [clock.now]))
    }
    try await begin()
  }

  func close() async {
    for device in devices { await device.store.close() }
  }

  private func begin() async throws {
    for (name, value) in plot.settings { try await devices[0].store.set([name: value]) }
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

  /// Simulates all days, then judges them.
  func live() async throws {
    for (at, turn) in plot.turns(using: &random) {
      clock.advance(seconds: (at.milliseconds - now.milliseconds) / 1_000)
      try await take(turn)
    }
    for device in devices.indices { await converge(device) }
  }

  private func take(_ turn: LifePlot.Turn) async throws {
    switch turn {
    case .wake(let device): try await open(device)
    case .act(let device):
      try await act(device)
      // Occasionally the app is killed before it gives the system its plan.
      if !random.oneIn(10) { try await open(device) }
    case .sync: try await sync()
    case .reboot(let device):
      await devices[device].scheduler.system.reboot()
      devices[device].reboots.append(now)
      devices[device].cut(at: now, .reboot)
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
    devices[device].cut(at: now, .revoked)
  }

  /// Records that a device knows a fact, by the fact's index.
  func learn(_ device: Int, _ fact: LifeFact) {
    devices[device].knows.insert(facts.count)
    facts.append((now, fact))
  }

  /// Returns the state that a device knows.
  func state(of device: Int) -> LifeState {
    LifeState(devices[device].knows.sorted().map { ($0, facts[$0].fact) })
  }

  /// Lets the app read the system's permission.
  private func tellPermission(_ device: Int) async throws {
    let isAllowed = devices[device].isAllowed
    guard devices[device].believesAllowed != isAllowed else { return }
    let permission = isAllowed ? Self.granted : Permission(status: .denied)
    try await devices[device].store.setPermission(permission)
    devices[device].believesAllowed = isAllowed
    devices[device].permissionChanges.append(now)
    devices[device].own.isBlocked = !isAllowed
    wrote(device)
    learn(device, .active(oracle.today(now)))
  }

  func wrote(_ device: Int) { devices[device].own.lastWrite = now }

  /// Runs the app for a moment, which gives the system its plan.
  func open(_ index: Int) async throws {
    try await tellPermission(index)
    await converge(index)
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
    let requests = try await device.store.plan().requests
    devices[index].applications.append(
      LifeDevice.Application(
        at: now, coverage: applied.coverageUntil, state: state(of: index),
        claim: device.claim(at: now), isBlocked: !device.believesAllowed,
        requests: Dictionary(uniqueKeysWithValues: requests.map { (.request($0.id), $0) }),
        knownPlans: device.other.planCount))
    devices[index].own.planCount += 1
    await checkSystem(index, applied)
  }

  private func noteSubmission(_ index: Int, _ applied: AppliedPlan) {
    if !applied.written.events.isEmpty { wrote(index) }
    if applied.written.events.contains(where: { $0.kind == .planSubmitted }) {
      devices[index].own.coverage = devices[index].believesAllowed ? applied.coverageUntil : nil
    }
  }

  /// Checks that the system never exceeds its capacity, and holds nothing while notifications are
  /// blocked.
  private func checkSystem(_ index: Int, _ applied: AppliedPlan) async {
    let held = await devices[index].scheduler.scheduled().count
    if held > plot.capacity { fail("\(held) requests on \(index)") }
    if !devices[index].believesAllowed && held > 0 { fail("\(held) requests though blocked") }
    if !applied.isComplete { fail("refused twice on \(index): \(applied.failures)") }
  }

  /// Syncs the two devices with both apps open; each then gives its system the plan.
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

  func fail(_ text: String) { violations.append("\(now.text): \(text)") }
}

extension Instant {
  /// RFC 3339 in UTC.
  var text: String { rfc3339(offsetSeconds: 0) }

  /// Returns the instant `seconds` later.
  func later(_ seconds: Int) -> Instant {
    Instant(milliseconds: milliseconds + Int64(seconds) * 1_000)
  }
}
