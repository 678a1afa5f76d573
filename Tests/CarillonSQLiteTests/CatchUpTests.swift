import CarillonModel
import CarillonSQLite
import CarillonTestSupport
import Testing

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
