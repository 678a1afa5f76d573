import CarillonLog
import CarillonLMDB
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

/// Damaged events are reported, and repaired from another replica's copy.
struct RepairedLogTests {
  /// Returns a closed log of ten foreign events, and their run.
  private func filled() async throws -> (fixture: LogFixture, run: EventRun) {
    let fixture = try LogFixture()
    let log = try fixture.create()
    var history = EventHistory(ReplicaID(high: 9, low: 9))
    let run = history.run((1...10).map { Array("the payload of event \($0)!".utf8) })
    _ = try await log.append([run], wallClock: .logTests)
    await log.close()
    return (fixture, run)
  }

  private func ids(_ fixture: LogFixture) async throws -> [EventID] {
    let log = try fixture.open()
    var ids: [EventID] = []
    try log.scan(after: .start) { event in
      ids.append(event.id)
      return true
    }
    await log.close()
    return ids
  }

  @Test("A damaged payload is reported and repaired", arguments: [1, 5, 10])
  func payload(_ number: Int) async throws {
    let (fixture, run) = try await filled()
    let good = Array("event \(number)!".utf8)
    try fixture.replaceInFile(
      good, by: Array("event X!".utf8) + good.dropFirst(8).map { _ in 33 })
    let log = try fixture.open()
    let damaged = try log.damagedEvents()
    #expect(damaged.map(\.position.rawValue) == [UInt64(number)])
    #expect(damaged.first?.id != nil)
    let slice = run.slice(number - 1..<number)
    #expect(try await log.append([slice], wallClock: .logTests) == [.duplicate(repaired: 1)])
    #expect(try log.damagedEvents() == [])
    #expect(try log.verify().isEmpty)
    #expect(try log.texts()[number - 1] == "the payload of event \(number)!")
    await log.close()
  }

  @Test("Any number of events without content hides no damage")
  func manyMissing() async throws {
    let fixture = try LogFixture()
    let log = try fixture.create()
    var history = EventHistory(ReplicaID(high: 9, low: 9))
    let run = history.run(count: 10)
    var items = run.items
    for place in 0..<5 { items[place] = EventRun.Item(missing: run.slice(0..<place + 1).lastID) }
    let alone = EventRun(
      replica: run.replica, firstSequence: run.firstSequence, previous: run.previous,
      items: items, lastID: run.lastID)
    _ = try await log.append([alone], wallClock: .logTests)
    #expect(try log.verify(maxProblemCount: 2).map(\.position?.rawValue) == [1, 2])
    await log.close()
    try fixture.replaceInFile(Array("event 8".utf8), by: Array("event X".utf8))
    let again = try fixture.open()
    let problems = try again.verify(maxProblemCount: 2)
    #expect(problems.map(\.position?.rawValue) == [8, 1, 2])
    #expect(problems.map { $0.kind == .missingContent } == [false, true, true])
    await again.close()
  }

  @Test("A damaged ID is reported and repaired, and opens no fork", arguments: [1, 5, 9])
  func id(_ number: Int) async throws {
    let (fixture, run) = try await filled()
    let id = try await ids(fixture)[number - 1].bytes
    try fixture.replaceInFile(id, by: id.dropLast() + [id[31] ^ 1])
    let log = try fixture.open()
    let damaged = try log.damagedEvents()
    #expect(damaged.map(\.position.rawValue) == [UInt64(number)])
    #expect(damaged.first?.id == nil)
    let slice = run.slice(number - 1..<number)
    #expect(try await log.append([slice], wallClock: .logTests) == [.duplicate(repaired: 1)])
    #expect(try log.branches().count == 1)
    #expect(try log.damagedEvents() == [])
    #expect(try log.verify().isEmpty)
    await log.close()
  }

  @Test(
    "An event with a damaged place is read at its run's place, and verify reports it",
    arguments: [1, 5, 10], [3, 4, 11])
  func place(_ number: Int, byte: Int) async throws {
    let (fixture, run) = try await filled()
    // The branch has 4 bytes, the sequence 8.
    try await damage(.place, number...number, in: fixture) { _ in byte }
    let log = try fixture.open()
    #expect(try log.texts() == (1...10).map { "the payload of event \($0)!" })
    #expect(try log.verify().map(\.position?.rawValue) == [UInt64(number)])
    #expect(try log.damagedEvents().map(\.position.rawValue) == [UInt64(number)])
    // A damaged event is not erased before it is repaired.
    let erased = ErasedPayload(
      position: LogPosition(rawValue: UInt64(number)), erasure: EventID(words: (1, 2, 3, 4)))
    #expect(try await log.erase([erased]) == 0)
    let slice = run.slice(number - 1..<number)
    #expect(try await log.append([slice], wallClock: .logTests) == [.duplicate(repaired: 1)])
    #expect(try log.damagedEvents() == [] && log.verify().isEmpty)
    await log.close()
  }

  @Test(
    "Consecutive damaged IDs are reported, and repaired from one run for each",
    arguments: [1...2, 4...7, 9...10, 1...10])
  func idsInARow(_ numbers: ClosedRange<Int>) async throws {
    let (fixture, run) = try await filled()
    try await damage(.id, numbers, in: fixture) { 8 + $0 % 24 }
    let log = try fixture.open()
    let damaged = try log.damagedEvents()
    #expect(damaged.map { Int($0.position.rawValue) } == Array(numbers))
    #expect(damaged.allSatisfy { $0.id == nil })
    let runs = numbers.map { run.slice($0 - 1..<$0) }
    let outcomes = try await log.append(runs, wallClock: .logTests)
    #expect(outcomes == numbers.map { _ in .duplicate(repaired: 1) })
    try expectWhole(log)
    await log.close()
  }

  @Test("A run that ends among IDs with damaged timestamps opens no fork", arguments: 0..<8)
  func timesInARow(_ byte: Int) async throws {
    let (fixture, run) = try await filled()
    try await damage(.id, 4...7, in: fixture) { _ in byte }
    let log = try fixture.open()
    for numbers in [4...5, 6...6, 7...7] {
      let slice = run.slice(numbers.lowerBound - 1..<numbers.upperBound)
      let outcome = try await log.append([slice], wallClock: .logTests)
      #expect(outcome == [.duplicate(repaired: numbers.count)], "\(numbers)")
    }
    try expectWhole(log)
    await log.close()
  }

  @Test(
    "A run that contains damaged IDs opens no fork, whichever bytes are damaged",
    arguments: TestSeed.first(6))
  func idsInARun(_ seed: UInt64) async throws {
    let (fixture, run) = try await filled()
    var generator = SeededGenerator(seed: seed)
    let first = Int.random(in: 1...10, using: &generator)
    let numbers = first...Int.random(in: first...10, using: &generator)
    // The first eight bytes are the timestamp, which look-ups use.
    let bytes = numbers.map { _ in Int.random(in: 0..<32, using: &generator) }
    try await damage(.id, numbers, in: fixture) { bytes[$0 - first] }
    let log = try fixture.open()
    let outcomes = try await log.append([run], wallClock: .logTests)
    #expect(outcomes == [.duplicate(repaired: numbers.count)], "seed \(seed)")
    try expectWhole(log)
    await log.close()
  }

  @Test(
    "Consecutive damaged IDs and payloads are reported and repaired",
    arguments: TestSeed.first(8))
  func mixed(_ seed: UInt64) async throws {
    let (fixture, run) = try await filled()
    var generator = SeededGenerator(seed: seed)
    var numbers: Set<Int> = []
    for number in 2...9 {
      let kind = Int.random(in: 0..<4, using: &generator)
      if kind == 0 { continue }
      numbers.insert(number)
      if kind != 1 { try await damage(.content, number...number, in: fixture) { _ in 5 } }
      if kind != 2 { try await damage(.id, number...number, in: fixture) { _ in 20 } }
    }
    let log = try fixture.open()
    let damaged = try log.damagedEvents()
    let named = Set(damaged.map { Int($0.position.rawValue) })
    #expect(named.isSuperset(of: numbers), "seed \(seed)")
    let runs = named.sorted().map { run.slice($0 - 1..<$0) }
    _ = try await log.append(runs, wallClock: .logTests)
    try expectWhole(log)
    await log.close()
  }

  private func expectWhole(_ log: LMDBEventLog) throws {
    #expect(try log.branches().count == 1)
    #expect(try log.damagedEvents() == [])
    #expect(try log.verify().isEmpty)
    #expect(try log.texts() == (1...10).map { "the payload of event \($0)!" })
  }

  /// Changes one byte in each of the given events.
  private func damage(
    _ part: DamagedFile.Part, _ numbers: ClosedRange<Int>, in fixture: LogFixture,
    byte: (Int) -> Int
  ) async throws {
    let log = try fixture.open()
    var records: [DamagedFile.Record] = []
    try log.scan(after: .start) { event in
      records.append(DamagedFile.Record(event))
      return true
    }
    await log.close()
    for number in numbers {
      try DamagedFile.flip(part, byte(number), of: records[number - 1], in: fixture.url)
    }
  }

  @Test("Random damage to payloads is repaired event by event", arguments: 1...5)
  func random(_ seed: UInt64) async throws {
    let (fixture, run) = try await filled()
    var generator = SeededGenerator(seed: seed)
    let numbers = Set((0..<4).map { _ in Int.random(in: 1...10, using: &generator) })
    for number in numbers {
      let good = Array("payload of event \(number)!".utf8)
      try fixture.replaceInFile(good, by: good.map { $0 ^ 1 })
    }
    let log = try fixture.open()
    let damaged = try log.damagedEvents()
    #expect(damaged.map { Int($0.position.rawValue) } == numbers.sorted(), "seed \(seed)")
    let outcomes = try await log.append([run], wallClock: .logTests)
    #expect(outcomes == [.duplicate(repaired: numbers.count)], "seed \(seed)")
    #expect(try log.verify().isEmpty, "seed \(seed)")
    await log.close()
  }
}
