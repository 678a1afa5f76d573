import CarillonModel
import CarillonTestSupport
import Synchronization
import Testing

@testable import CarillonSQLite

struct CatchUpTests {
  private static let habit = HabitID(high: 2, low: 1)

  @Test("One event after 20,000 changes at most 5 rows, and another query changes none")
  func rowChanges() async throws {
    var history = History()
    try history.add(.habitCreated(HabitFields(creating: Habit(id: Self.habit, title: "Walk"))))
    for index in 1..<20_000 {
      let date = CivilDate(rawValue: Int32(index % 20_000))
      try history.add(.entryRecorded(EntryRecorded(habit: Self.habit, date: date, kind: .amount)))
    }
    try await Fixture.run(history.events) { fixture in
      let projections = try await fixture.open()
      #expect(try await projections.catchUp() == LogPosition(rawValue: 20_000))
      let date = CivilDate(rawValue: 20_780)
      for payload: Payload in [
        .entryRecorded(EntryRecorded(habit: Self.habit, date: date)),
        .dayMarked(DayMarked(habit: Self.habit, first: date, last: date, mark: .skip)),
        .appActive(AppActive(date: date)),
      ] {
        let before = try projections.rowChangeCount()
        fixture.log.arrive([try history.add(payload)])
        _ = try await projections.catchUp()
        let after = try projections.rowChangeCount()
        #expect((1...5).contains(after - before), "\(payload.typeName): \(after - before)")
        _ = try await projections.state()
        #expect(try projections.rowChangeCount() == after)
      }
      await projections.close()
    }
  }

  @Test("A backlog of more than one batch is applied completely")
  func batches() async throws {
    var history = History()
    for index in 0..<45_000 {
      try history.add(.appActive(AppActive(date: CivilDate(rawValue: Int32(index)))))
    }
    try await Fixture.run { fixture in
      let projections = try await fixture.open()
      fixture.log.arrive(history.events)
      #expect(try await projections.catchUp() == LogPosition(rawValue: 45_000))
      #expect(try await projections.state().lastActive?.rawValue == 44_999)
      await projections.close()
    }
  }

  @Test("Of many values of a register in one batch, only the newest is written")
  func registers() async throws {
    var history = History()
    let schedule = Schedule(
      id: ScheduleID(high: 3, low: 1), rule: .weekly([.monday]), times: [.midnight])
    for index in 0..<500 {
      let title = HabitFieldValue.text("Title \(index)")
      try history.add(.habitEdited(HabitFields(habit: Self.habit, values: [.title: title])))
      try history.add(.scheduleSet(ScheduleSet(habit: Self.habit, schedule: schedule)))
    }
    for isReversed in [false, true] {
      try await Fixture.run { fixture in
        let projections = try await fixture.open()
        let before = try projections.rowChangeCount()
        fixture.log.arrive(isReversed ? history.events.reversed() : history.events)
        _ = try await projections.catchUp()
        let changes = try projections.rowChangeCount() - before
        // The title, the schedule with its rule and times, and the checkpoint. The schedule's
        // creation is its oldest event, and events are applied from the newest on.
        #expect(changes == 5 + 500, "reversed: \(isReversed)")
        #expect(try await projections.state() == ReferenceFold(history.events).state())
        await projections.close()
      }
    }
  }

  @Test("A losing value of an erased habit is swept like the winning one")
  func erasedRegisters() async throws {
    var history = History()
    try history.add(.dataErased(Erasure(.habit(Self.habit))))
    for index in 0..<20 {
      let title = HabitFieldValue.text("Title \(index)")
      try history.add(.habitEdited(HabitFields(habit: Self.habit, values: [.title: title])))
      let date = CivilDate(rawValue: Int32(20_000 - index))
      try history.add(.entryRecorded(EntryRecorded(habit: Self.habit, date: date)))
    }
    for events in [history.events, history.events.reversed()] {
      try await Fixture.run { fixture in
        let projections = try await fixture.open()
        fixture.log.arrive(events)
        _ = try await projections.catchUp()
        #expect(try await projections.sweep() == 40)
        #expect(fixture.log.coveredCount(by: history.erasures) == 0)
        #expect(try await projections.state().days.isEmpty)
        await projections.close()
      }
    }
  }

  @Test("A catch-up that fails within a batch changes nothing, and the next one completes it")
  func failing() async throws {
    let history = try History(seed: 12, count: 300)
    try await Fixture.run(Array(history.events.prefix(100))) { fixture in
      let log = FailingLog(fixture.log)
      let projections = try await SQLiteProjections.open(at: fixture.directory, log: log)
      let before = try await projections.digest()
      fixture.log.arrive(Array(history.events.dropFirst(100)))
      log.failure.store(250, ordering: .relaxed)
      await #expect(throws: LogError.self) { try await projections.catchUp() }
      log.failure.store(.max, ordering: .relaxed)
      let position = try await projections.current().perform { connection in
        try Checkpoint(connection).position
      }
      #expect(position == LogPosition(rawValue: 100))
      #expect(try await projections.digest() != before)
      #expect(try await projections.state() == ReferenceFold(history.events).state())
      #expect(try await projections.check() == nil)
      await projections.close()
    }
  }

  @Test("Two handles that catch up at the same time apply every event once")
  func twoHandles() async throws {
    let history = try History(seed: 5, count: 400)
    let expected = ReferenceFold(history.events)
    try await Fixture.run { fixture in
      let handles = [try await fixture.open(), try await fixture.open()]
      for event in history.events {
        fixture.log.arrive([event])
        try await withThrowingTaskGroup { group in
          for handle in handles { group.addTask { _ = try await handle.catchUp() } }
          try await group.waitForAll()
        }
      }
      for handle in handles {
        #expect(try await handle.state() == expected.state())
        let counts = try await handle.read { ($0.unknownEventCount, $0.unreadableEventCount) }
        #expect(counts == (UInt64(expected.unknown.count), UInt64(expected.unreadable.count)))
        await handle.close()
      }
    }
  }

  @Test("A synchronous read sees the events that were appended before it")
  func synchronously() async throws {
    try await Fixture.run { fixture in
      let projections = try await fixture.open()
      var history = History()
      let replica = ReplicaID(high: 7, low: 1)
      fixture.log.arrive([try history.add(.appActive(AppActive(date: CivilDate(rawValue: 5))))])
      let day = try projections.readSynchronously { try $0.lastActive(of: replica) }
      #expect(day == CivilDate(rawValue: 5))
      await projections.close()
    }
  }

  @Test("A closed handle throws closed")
  func closed() async throws {
    try await Fixture.run { fixture in
      let projections = try await fixture.open()
      await projections.close()
      await projections.close()
      let error = await #expect(throws: ProjectionError.self) { try await projections.catchUp() }
      #expect(error?.code == .closed)
    }
  }
}

/// A log whose scans fail at a position.
private final class FailingLog: ForwardingLog {
  let log: any EventLog
  let failure = Atomic(UInt64.max)

  init(_ log: ScriptedLog) {
    self.log = log
  }

  func scanIntact(after position: LogPosition, _ body: (RawEvent) throws -> Bool) throws {
    try log.scanIntact(after: position) { event in
      guard event.position.rawValue < failure.load(ordering: .relaxed) else {
        throw LogError(code: .io, message: "cannot read event \(event.position.rawValue)")
      }
      return try body(event)
    }
  }
}
