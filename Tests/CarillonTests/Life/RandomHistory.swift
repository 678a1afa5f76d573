import Carillon
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Foundation

/// Random events of a phone and a watch: all verbs, travels, clocks that differ, permission, syncs.
///
/// Unlike a ``SimulatedLife`` it uses all rules and settings, and does not compute on its own what
/// must fire. ``HistoryProperties`` checks the properties after every step.
final class RandomHistory {
  struct Device {
    let store: Store
    let clock: ManualClock
    let zone: LifeZone
    let scheduler: RecordingScheduler
    let capacity: Int
    /// All its events, in order of arrival.
    var fold = ReferenceFold()
    var folded = LogPosition.start
  }

  var random: SeededGenerator
  var devices: [Device] = []
  /// What was done, to be printed when a seed is replayed.
  private(set) var lines: [String] = []

  static let zones = [
    "Europe/Berlin", "America/New_York", "Asia/Tokyo", "Australia/Lord_Howe", "UTC",
  ]

  /// A replica without keys, through which the devices of a sealed store sync; nil for a plain one.
  private var hub: Store?

  init(seed: UInt64, in directory: URL, isSealed: Bool = false) async throws {
    random = SeededGenerator(seed: seed)
    let start = random.pick([
      "2026-03-27T10:00:00Z", "2026-10-23T20:00:00Z", "2026-10-02T12:00:00Z",
      "2026-06-15T08:00:00Z",
    ])
    for role in [CarillonModel.Device.Role.phone, .watch] {
      let clock = ManualClock(start)
      clock.advance(seconds: role == .phone ? 0 : Int64.random(in: -90...90, using: &random))
      let zone = LifeZone(TimeZone(identifier: random.pick(Self.zones)) ?? .gmt)
      let capacity = random.pick([64, 64, 20, 5])
      let options = StoreOptions(
        clock: { clock.now }, zone: { zone.zone }, capacity: capacity)
      let target = directory.appending(path: role.rawValue)
      let store =
        if let first = devices.first {
          try await Store.clone(
            first.store, at: target, replica: role.rawValue, role: role, options: options
          ).store
        } else if isSealed {
          try await Store.createSealed(
            at: target, replica: role.rawValue, role: role, options: options
          ).store
        } else {
          try await Store.create(
            at: target, replica: role.rawValue, role: role, options: options)
        }
      let system = StandInScheduler(clock: clock, zone: zone.zone, limit: capacity)
      devices.append(
        Device(
          store: store, clock: clock, zone: zone, scheduler: RecordingScheduler(system, clock),
          capacity: capacity))
      try await store.setPermission(SimulatedLife.granted)
      try await store.setAlerts(true)
    }
    if isSealed {
      let clock = devices[0].clock
      var options = StoreOptions(clock: { clock.now })
      options.mayLackKeys = true
      hub = try await Store.clone(
        devices[0].store, at: directory.appending(path: "hub"), replica: "hub", role: .server,
        options: options
      ).store
    }
    for _ in 0..<3 { try await addHabit(0) }
    try await sync()
  }

  func close() async {
    for device in devices { await device.store.close() }
    await hub?.close()
  }

  /// Does one thing on one device.
  ///
  /// - Returns: The devices that it changed.
  func step() async throws -> [Int] {
    for device in devices where random.oneIn(2) {
      let seconds: Int64 = random.pick([1, 60, 3_000, 20_000, 60_000])
      device.clock.advance(seconds: Int64.random(in: 1...seconds, using: &random))
    }
    keepClocksTogether()
    let index = Int.random(in: devices.indices, using: &random)
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<10:
      try await sync()
      return [0, 1]
    case 10..<30: try await apply(index)
    case 30..<36: await travel(index)
    case 36..<40: try await allow(index)
    case 40..<43: await devices[index].scheduler.system.reboot()
    case 43..<60: try await changeHabits(index)
    case 60..<66: try await changeSettings(index)
    case 66..<76: try await answer(index)
    default: try await live(index)
    }
    return [index]
  }

  /// Keeps the devices' clocks within minutes of each other.
  private func keepClocksTogether() {
    let latest = devices.map(\.clock.now).max() ?? devices[0].clock.now
    for device in devices {
      let behind = (latest.milliseconds - device.clock.now.milliseconds) / 1_000
      if behind > 120 { device.clock.advance(seconds: behind - 60) }
    }
  }

  func note(_ index: Int, _ text: String) {
    let at = devices[index].clock.now.rfc3339(offsetSeconds: 0)
    lines.append("\(at) \(index == 0 ? "phone" : "watch") \(text)")
  }

  func sync() async throws {
    note(0, "syncs")
    if let hub {
      for index in [0, 1, 0] { try await devices[index].store.sync(with: hub) }
      return
    }
    try await devices[0].store.sync(with: devices[1].store)
  }

  func apply(_ index: Int) async throws {
    note(index, "applies")
    let device = devices[index]
    if random.oneIn(10) { await device.scheduler.system.refuse(1) }
    _ = try await device.store.apply(to: device.scheduler)
    await device.scheduler.system.refuse()
  }

  private func travel(_ index: Int) async {
    let zone = TimeZone(identifier: random.pick(Self.zones)) ?? .gmt
    note(index, "travels to \(zone.identifier)")
    devices[index].zone.zone = zone
    await devices[index].scheduler.system.travel(to: zone)
  }

  private func allow(_ index: Int) async throws {
    let (store, system) = (devices[index].store, devices[index].scheduler.system)
    if random.oneIn(3) {
      let isOn = Bool.random(using: &random)
      note(index, "alerts \(isOn)")
      try await store.setAlerts(isOn)
      return
    }
    let isGranted = random.oneIn(2)
    note(index, isGranted ? "is allowed" : "is denied")
    if isGranted { await system.grant() } else { await system.revoke() }
    let permission = isGranted ? SimulatedLife.granted : Permission(status: .denied)
    try await store.setPermission(permission)
  }

  private func changeSettings(_ index: Int) async throws {
    let name = random.pick(SettingName.allCases)
    let value: String? =
      switch name {
      case .dayStart: random.pick(["00:00", "04:00", "23:00"])
      case .quietHours: random.pick(["22:00-07:00", "02:00-03:00", "none"])
      case .horizonDays: random.pick(["1", "3", "8", "12"])
      case .staleHours: random.pick(["1", "48"])
      case .digest: random.pick(["2/3600s", "1/300s", "none", "none"])
      case .asksToOpen: random.pick(["on", "off", "off"])
      case .primingDays: nil
      }
    note(index, "sets \(name) \(value ?? "default")")
    try await devices[index].store.set([name: value])
  }
}
