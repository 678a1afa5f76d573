import CarillonModel
import CarillonSQLite
import CarillonTestSupport
import Testing

/// The newest 1,000 facts of each source and replica are retained, in any order of arrival.
struct RetentionTests {
  private static let phone = ReplicaID(high: 7, low: 1)
  private static let watch = ReplicaID(high: 7, low: 2)
  private static let now = Instant(milliseconds: History.start)

  /// Returns items in events of 1 to 60, receipts and responses, of few sources and above the limit
  /// of retention.
  private func history(_ random: inout SeededGenerator) throws -> History {
    var history = History()
    let (habit, schedule) = (HabitID(high: 1, low: 1), ScheduleID(high: 2, low: 2))
    var number = 0
    while number < 2_300 {
      let count = Int.random(in: 1...60, using: &random)
      let items = (number..<number + count).map { ItemObserved.Item(item: "\($0)") }
      number += count
      let replica = Int.random(in: 1...8, using: &random) == 1 ? Self.watch : Self.phone
      try history.add(
        .itemObserved(ItemObserved(source: "feed", items: items)), replica: replica)
    }
    for number in 0..<1_150 {
      let date = CivilDate(rawValue: 18_000).adding(days: number)
      let subjects: [ReceiptSubject] = [
        .occurrence(
          OccurrenceID(
            habit: habit, schedule: schedule, nominal: CivilDateTime(date: date, time: "07:30"))),
        .item(source: "feed", item: "\(number)"),
      ]
      let subject = subjects[number.isMultiple(of: 30) ? 1 : 0]
      try history.add(.receiptAdvanced(ReceiptAdvanced(subject: subject, state: .delivered)))
      try history.add(
        .responseRecorded(ResponseRecorded(subject: .push(id: "a"), action: .custom("\(number)"))))
    }
    return history
  }

  @Test("Any order of arrival with repetitions leads to the newest facts and one digest")
  func anyOrder() async throws {
    let seed: UInt64 = 7
    var random = SeededGenerator(seed: seed)
    let events = try history(&random).events
    let plain = ReferenceFold(events)
    var digests: Set<StateDigest> = []
    for order in [events.reversed(), events.shuffled(using: &random)] {
      try await Fixture.run { fixture in
        let projections = try await fixture.open()
        for part in stride(from: 0, to: order.count, by: 500) {
          fixture.log.arrive(Array(order[part..<min(part + 500, order.count)]))
          fixture.log.arrive(Array(order[max(0, part - 40)...part]))
          _ = try await projections.catchUp()
        }
        digests.insert(try await projections.digest())
        try await projections.read { reader in
          let kept = plain.observedItems(of: "feed")
          let observed = try reader.observedItems(of: "feed")
          for number in 0..<2_300 {
            #expect(try observed.contains("\(number)") == kept.contains(.init(item: "\(number)")))
          }
          #expect(
            try reader.receipts(limit: .max, in: Set(Receipt.State.allCases), now: Self.now)
              == plain.receipts(now: Self.now), "seed \(seed)")
        }
        #expect(try await projections.state() == plain.state(), "seed \(seed)")
        _ = try await projections.rebuild()
        digests.insert(try await projections.digest())
        await projections.close()
      }
    }
    #expect(digests.count == 1, "seed \(seed)")
    #expect(plain.responses.count == 1_000)
  }

  @Test("One item above the limit removes the oldest one, separately for each replica")
  func oneMore() async throws {
    var history = History()
    for number in 0...1_000 {
      try history.add(
        .itemObserved(ItemObserved(source: "feed", items: [.init(item: "\(number)")])),
        replica: Self.phone)
    }
    try history.add(
      .itemObserved(ItemObserved(source: "feed", items: [.init(item: "watch")])),
      replica: Self.watch)
    try history.add(
      .itemObserved(ItemObserved(source: "other", items: [.init(item: "0")])),
      replica: Self.phone)
    try await Fixture.run(history.events) { fixture in
      let projections = try await fixture.open()
      try await projections.read { reader in
        let feed = try reader.observedItems(of: "feed")
        #expect(try !feed.contains("0"))
        for item in ["1", "1000", "watch"] { #expect(try feed.contains(item)) }
        #expect(try feed.contains("1", revision: "0"))
        #expect(try !feed.contains("1", revision: "1"))
        let other = try reader.observedItems(of: "other")
        #expect(try other.contains("0"))
      }
      await projections.close()
    }
  }

  @Test("Names that are equal in Unicode but differ in bytes are different")
  func bytes() async throws {
    var history = History()
    try history.add(
      .itemObserved(ItemObserved(source: "caf\u{E9}", items: [.init(item: "\u{E9}")])))
    try await Fixture.run(history.events) { fixture in
      let projections = try await fixture.open()
      try await projections.read { reader in
        let composed = try reader.observedItems(of: "caf\u{E9}")
        let decomposed = try reader.observedItems(of: "cafe\u{301}")
        #expect(try composed.contains("\u{E9}"))
        #expect(try !decomposed.contains("\u{E9}"))
        #expect(try !composed.contains("e\u{301}"))
      }
      await projections.close()
    }
  }
}
