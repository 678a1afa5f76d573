import Carillon
import CarillonModel
import CarillonSync
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

/// Random lives of two to five replicas: verbs, syncs, copied directories, and clocks that differ.
///
/// At the end, all replicas sync with each other until nothing moves.
@Suite struct LifeTests {
  @Test(
    "After a random life all replicas agree, and no acknowledged event is lost",
    arguments: TestSeed.first(8))
  func life(seed: UInt64) async throws {
    try await withTemporaryDirectory { directory in
      var life = try await Life(seed: seed, directory: directory)
      for _ in 0..<60 { try await life.step() }
      try await life.syncAll()
      let digests = try await life.digests()
      #expect(Set(digests).count == 1, "seed \(seed): \(digests)")
      for id in life.acknowledged {
        for store in life.stores {
          #expect(try await store.event(id) != nil, "seed \(seed): \(id) is lost")
        }
      }
      for store in life.stores {
        #expect(try await store.verify() == [], "seed \(seed)")
        let plan = try await store.plan()
        let again = plan.difference(from: plan.requests.map(ScheduledRequest.init))
        #expect(again.insertions.isEmpty, "seed \(seed)")
      }
      await life.close()
    }
  }
}

/// One random life.
///
/// The seed determines everything except the IDs of events.
private struct Life {
  private(set) var stores: [Store] = []
  private(set) var acknowledged: [EventID] = []
  private var clocks: [ManualClock] = []
  private var random: SeededGenerator
  private let directory: URL
  private var habits: [HabitID] = []

  init(seed: UInt64, directory: URL) async throws {
    random = SeededGenerator(seed: seed)
    self.directory = directory
    clocks.append(ManualClock("2026-11-23T08:00:00Z"))
    stores.append(
      try await Store.create(
        at: directory.appending(path: "0"), replica: "phone", options: .test(clocks[0])))
    try await addHabit(to: 0)
    for index in 1...Int.random(in: 1...3, using: &random) {
      clocks.append(ManualClock("2026-11-2\(Int.random(in: 0...6, using: &random))T08:00:00Z"))
      stores.append(
        try await Store.clone(
          stores[0], at: directory.appending(path: "\(index)"), replica: "watch", role: .watch,
          options: .test(clocks[index])
        ).store)
    }
  }

  mutating func step() async throws {
    let index = Int.random(in: stores.indices, using: &random)
    clocks[index].advance(seconds: Int64.random(in: 0...20_000, using: &random))
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<10: try await addHabit(to: index)
    case 10..<16: try await copy(index)
    case 16..<36:
      let other = Int.random(in: stores.indices, using: &random)
      if other != index { try await stores[index].sync(with: stores[other]) }
    default: try await act(index)
    }
  }

  /// Syncs every pair until a whole round moves nothing.
  func syncAll() async throws {
    for _ in 0..<(stores.count + 2) {
      var moved = 0
      for (index, store) in stores.enumerated() {
        for other in stores[(index + 1)...] {
          let report = try await store.sync(with: other)
          moved += Int(report.eventsSent) + Int(report.eventsReceived)
        }
      }
      if moved == 0 { return }
    }
    Issue.record("the replicas still exchange events")
  }

  func digests() async throws -> [StateDigest] {
    var digests: [StateDigest] = []
    for store in stores { digests.append(try await store.stateDigest()) }
    return digests
  }

  func close() async {
    for store in stores { await store.close() }
  }

  private mutating func addHabit(to index: Int) async throws {
    let added = try await stores[index].add(
      Habit("Habit \(habits.count)", .daily(at: ["07:30", "17:00"], unless: .done)))
    habits.append(added.id)
    acknowledged += added.written.events.map(\.id)
  }

  /// Copies a directory and continues with both, as after restoring a backup.
  private mutating func copy(_ index: Int) async throws {
    guard stores.count < 5 else { return }
    let source = stores[index].directory
    let target = directory.appending(path: "\(stores.count)")
    await stores[index].close()
    try FileManager.default.copyItem(at: source, to: target)
    stores[index] = try await Store.open(at: source, options: .test(clocks[index]))
    clocks.append(ManualClock("2026-11-23T08:00:00Z"))
    stores.append(
      try await Store.open(at: target, options: .test(clocks[clocks.count - 1])))
  }

  private mutating func act(_ index: Int) async throws {
    let store = stores[index]
    let known = try await store.habits(includingArchived: true, includingDeleted: true)
    guard let habit = known.randomElement(using: &random)?.id else { return }
    let today = try await store.today()
    let day = HabitDate.date(today.adding(days: Int.random(in: -2...3, using: &random)))
    let written: Written
    switch Int.random(in: 0..<12, using: &random) {
    case 0..<3: written = try await store.markDone(habit, on: day)
    case 3: written = try await store.clear(habit, on: day)
    case 4: written = try await store.skip(habit, on: day)
    case 5: written = try await store.pause(habit, from: day)
    case 6: written = try await store.resume(habit)
    case 7:
      let isArchived = Bool.random(using: &random)
      written = isArchived ? try await store.archive(habit) : try await store.unarchive(habit)
    case 8: written = try await store.delete(habit)
    case 9: written = try await store.restore(habit)
    case 10: written = try await store.setAlerts(Bool.random(using: &random))
    default:
      let minute = Int.random(in: 0..<1440, using: &random)
      written = try await store.edit(habit) { habit in
        if let time = TimeOfDay(minute: minute), !habit.schedules.isEmpty {
          habit.schedules[0].setTimes([time])
        }
      }
    }
    acknowledged += written.events.map(\.id)
  }
}
