import CarillonModel
import CarillonSQLite
import CarillonTestSupport
import Testing

/// Every order and division of arriving events leads to one state and one digest, also if payloads
/// that an erasure covers arrive, are removed or never arrive.
struct OrderFreedomTests {
  @Test(
    "A history in random order and batches merges to the plain fold's state and one digest",
    arguments: TestSeed.first(8))
  func permutations(seed: UInt64) async throws {
    let history = try History(seed: seed, count: 150)
    let expected = ReferenceFold(history.events)
    var random = SeededGenerator(seed: seed &* 31)
    let range = CivilDate(rawValue: 20_770)...CivilDate(rawValue: 20_775)
    var digests: Set<StateDigest> = []
    for _ in 0..<2 {
      try await Fixture.run { fixture in
        let projections = try await fixture.open()
        var lost: [StoredEvent] = []
        for batch in Self.batches(of: history.events.shuffled(using: &random), using: &random) {
          fixture.log.arrive(
            batch.map { history.losing($0, lost: &lost, using: &random) })
          _ = try await projections.catchUp()
          guard Bool.random(using: &random) else { continue }
          _ = try await projections.sweep()
        }
        for event in lost { fixture.log.restore(event) }
        _ = try await projections.sweep()
        #expect(try !projections.isSweepDue(), "seed \(seed)")
        #expect(fixture.log.coveredCount(by: history.erasures) == 0, "seed \(seed)")
        let (state, limited, counts) = try await projections.read {
          (
            try $0.state(range: nil), try $0.state(range: range),
            [$0.unknownEventCount, $0.unreadableEventCount]
          )
        }
        #expect(state == expected.state(), "seed \(seed)")
        let conflicts = try await projections.read { try $0.conflicts() }
        #expect(Set(conflicts) == expected.conflicts, "seed \(seed)")
        #expect(conflicts.count == expected.conflicts.count, "seed \(seed)")
        #expect(limited == expected.state(range: range), "seed \(seed)")
        #expect(counts == [UInt64(expected.unknown.count), UInt64(expected.unreadable.count)])
        digests.insert(try await projections.digest())
        #expect(try await projections.rebuild() == UInt64(history.events.count))
        digests.insert(try await projections.digest())
        #expect(try await projections.check() == nil, "seed \(seed)")
        await projections.close()
      }
    }
    #expect(digests.count == 1, "seed \(seed)")
  }

  @Test("A rebuild over several sorted batches has the digest of small batches in any order")
  func largeBatches() async throws {
    var history = try History(seed: 40, count: 20_000)
    var generator = SeededGenerator(seed: 41)
    // Entries and marks of a few habits, so that full statements and rows of one key occur.
    for _ in 0..<30_000 {
      let habit = HabitID(high: UInt64.random(in: 1...9, using: &generator), low: 1)
      let date = CivilDate(rawValue: Int32.random(in: 20_000...21_000, using: &generator))
      let isMark = Int.random(in: 0..<4, using: &generator) == 0
      try history.add(
        isMark
          ? .dayMarked(DayMarked(habit: habit, first: date, last: date, mark: .skip))
          : .entryRecorded(EntryRecorded(habit: habit, date: date)))
    }
    var digests: Set<StateDigest> = []
    for events in [history.events, history.events.reversed()] {
      try await Fixture.run { fixture in
        let projections = try await fixture.open()
        for start in stride(from: 0, to: events.count, by: 1_013) {
          fixture.log.arrive(Array(events[start..<min(start + 1_013, events.count)]))
          _ = try await projections.catchUp()
        }
        digests.insert(try await projections.digest())
        #expect(try await projections.rebuild() == UInt64(events.count))
        digests.insert(try await projections.digest())
        await projections.close()
      }
    }
    #expect(digests.count == 1)
  }

  @Test("Each query returns its part of the state", arguments: [1, 2, 3] as [UInt64])
  func queries(seed: UInt64) async throws {
    let history = try History(seed: seed, count: 300)
    let fold = ReferenceFold(history.events)
    let expected = fold.state()
    let now = Instant(milliseconds: History.start)
    try await Fixture.run(history.events) { fixture in
      let projections = try await fixture.open()
      try await projections.read { reader in
        let receipts = fold.receipts(now: now)
        let all = Set(Receipt.State.allCases)
        for (states, limit) in [(all, .max), (all, 2), (all, 0), ([.acted], .max), ([.acted], 1)] {
          #expect(
            try reader.receipts(limit: limit, in: states, now: now)
              == receipts.filter { states.contains($0.state) }.prefix(limit).map(\.self))
        }
        let observed = try reader.observedItems(of: "github")
        for item in fold.observedItems(of: "github") {
          #expect(try observed.contains(item.item, revision: item.revision))
        }
        #expect(try reader.habits() == expected.habits.values.sorted { $0.id < $1.id })
        for (id, habit) in expected.habits {
          #expect(try reader.habit(id) == habit)
          #expect(try reader.deletes(of: id).isEmpty != habit.isDeleted)
        }
        for (replica, device) in expected.devices {
          #expect(try reader.device(replica) == device)
          #expect(try reader.lastActive(of: replica) == device.lastActive)
        }
        let allDates = CivilDate(rawValue: .min)...CivilDate(rawValue: .max)
        for (habit, days) in expected.days {
          let entered = days.filter { $0.day.entryCount > 0 }
          let found = try reader.entryCount(of: habit, in: allDates)
          #expect(found?.count ?? 0 == entered.reduce(0) { $0 + $1.day.entryCount })
          #expect(found?.dates.lowerBound == entered.first?.date)
          #expect(found?.dates.upperBound == entered.last?.date)
          for (date, day) in days {
            let entries = try reader.entries(of: habit, on: date)
            #expect(entries.count == day.entryCount)
            #expect(entries.reduce(0) { $0 + $1.amount.thousandths } == day.amount.thousandths)
            #expect(try reader.mark(of: habit, on: date) == day.mark)
          }
        }
        #expect(try reader.habit(HabitID(high: 0, low: 0)) == nil)
        #expect(try reader.device(ReplicaID(high: 0, low: 0)) == nil)
      }
      await projections.close()
    }
  }

  /// Divides events into batches of 1 to 60.
  private static func batches(
    of events: [StoredEvent], using random: inout SeededGenerator
  ) -> [[StoredEvent]] {
    var batches: [[StoredEvent]] = []
    var rest = events[...]
    while !rest.isEmpty {
      let count = Int.random(in: 1...60, using: &random)
      batches.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return batches
  }
}
