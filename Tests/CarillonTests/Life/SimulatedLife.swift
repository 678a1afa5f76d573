import Carillon
import CarillonModel
import CarillonTesting
import Foundation

/// Days of a phone and a watch: apps that are opened at random times or not at all for a day,
/// clocks over DST changes and travels, permission taken and given, restarts, syncs.
///
/// What must fire is read by an oracle from the facts that each device had when its system was last
/// given a plan; between two such moments the firings of a device are exactly those.
final class SimulatedLife {
  /// What the lives came to.
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

  /// A fire that was heard.
  struct Heard {
    let firing: LifeRing
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
  var excuses: [LifeRing: [LifeExcuse]] = [:]
  /// How many digests were demanded.
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
    for device in devices.indices { await converge(device) }
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
        claim: device.claim(at: now), isBlocked: !device.isToldAllowed,
        requests: Dictionary(uniqueKeysWithValues: requests.map { ($0.id, $0) }),
        knownPlans: device.other.planCount))
    devices[index].own.planCount += 1
    await checkSystem(index, applied)
  }

  private func noteSubmission(_ index: Int, _ applied: AppliedPlan) {
    if !applied.written.events.isEmpty { wrote(index) }
    if applied.written.events.contains(where: { $0.kind == .planSubmitted }) {
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

  func fail(_ text: String) { violations.append("\(now.text): \(text)") }
}

extension Instant {
  /// RFC 3339 in UTC.
  var text: String { rfc3339(offsetSeconds: 0) }

  /// So many seconds later.
  func later(_ seconds: Int) -> Instant {
    Instant(milliseconds: milliseconds + Int64(seconds) * 1_000)
  }
}
