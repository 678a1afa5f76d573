internal import CarillonLog
internal import CarillonModel

extension EventLogConformance {
  /// The payload of an event about a habit.
  private static func about(_ habit: UInt8, _ text: String = "") -> [UInt8] {
    [1, habit] + Array(text.utf8)
  }

  /// The payload of an erasure of a habit.
  private static func erasing(_ habit: UInt8) -> [UInt8] { [0xDA, habit] }

  private static func read(_ payload: UnsafeRawBufferPointer) -> Payload? {
    guard payload.count > 1 else { return nil }
    let habit = HabitID(high: 0, low: UInt64(payload[1]))
    return switch payload[0] {
    case 1: .habitArchivedSet(HabitArchivedSet(habit: habit, isArchived: true))
    case 0xDA: .dataErased(Erasure(.habit(habit)))
    default: nil
    }
  }

  /// Lets a log read payloads; false for an adapter of another program, which never does.
  private static func startReading(_ probe: EventLogProbe) -> Bool {
    guard let adapter = probe.log as? any LogAdapter else { return false }
    adapter.handle.rules.readPayload = { read($0) }
    return true
  }

  /// The positions of the redacted events, by the event that erased them.
  private static func redacted(_ probe: EventLogProbe) throws -> [EventID: [Int]] {
    let events = try probe.events().enumerated().filter { $1.redacted != nil }
    return Dictionary(grouping: events) { $1.redacted?.erasure ?? $1.id }
      .mapValues { $0.map { $0.offset + 1 } }
  }

  static let erasureSearch: [Check] = [
    Check("An erasure that a log reads erases what it covers, whichever arrives first") { probe in
      guard startReading(probe) else { return }
      var (history, other) = (probe.history(1), probe.history(2))
      let run = history.run([about(1), about(2), about(1, "again")])
      _ = try await probe.append(run.slice(0..<2))
      let erasure = other.run([about(1), erasing(1)])
      _ = try await probe.append(erasure)
      try expect(try redacted(probe), is: [erasure.lastID: [1, 3]], "what was there")
      _ = try await probe.append(run)
      try expect(try redacted(probe), is: [erasure.lastID: [1, 3, 5]], "what arrived later")
      try expect(try probe.log.damagedEvents(), is: [], "damaged events")
      _ = try await probe.append(erasure)
      try expect(try redacted(probe), is: [erasure.lastID: [1, 3, 5]], "after the same run again")
    },
    Check("A log that reads erasures erases what comes with one in one call") { probe in
      guard startReading(probe) else { return }
      var (history, other, third) = (probe.history(1), probe.history(2), probe.history(3))
      _ = try await probe.append(third.run([about(9)]))
      let run = history.run([about(1), about(2)])
      let erasure = other.run([erasing(1), about(1)])
      let later = history.run([about(1)])
      _ = try await probe.log.append(
        [run, erasure, later], wallClock: EventLogProbe.noon, erasures: nil)
      let id = erasure.slice(0..<1).lastID
      try expect(try redacted(probe), is: [id: [2, 5, 6]], "erased events")
    },
    Check("A log that begins to read erasures finds those that it has") { probe in
      var (history, other) = (probe.history(1), probe.history(2))
      let (run, erasure) = (history.run([about(1), about(2)]), other.run([erasing(1)]))
      for run in [run, erasure] { _ = try await probe.append(run) }
      try expect(try redacted(probe), is: [:], "before it reads")
      guard startReading(probe) else { return }
      _ = try await probe.append(history.run([about(1), about(3)]))
      try expect(try redacted(probe), is: [erasure.lastID: [1, 4]], "erased events")
    },
    Check("A log that reads erasures erases any number of payloads") { probe in
      guard startReading(probe) else { return }
      var (history, other) = (probe.history(1), probe.history(2))
      let count = 1_201
      _ = try await probe.append(
        history.run((0..<count).map { about($0.isMultiple(of: 2) ? 1 : 2, "number \($0)") }))
      let erasure = other.run([erasing(1)])
      _ = try await probe.append(erasure)
      try expect(
        try redacted(probe), is: [erasure.lastID: Array(stride(from: 1, through: count, by: 2))],
        "erased events")
    },
  ]
}
