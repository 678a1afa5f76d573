internal import CarillonLog
internal import CarillonModel

extension EventLogConformance {
  private static let erasure = EventID(words: (1 << 40, 2, 3, 4))

  /// Payloads that look sealed.
  private static func sealed(_ count: Int) -> [[UInt8]] {
    (0..<count).map { [0xFA, 0x01, 0x03, 0x01, 7, UInt8($0)] }
  }

  /// Returns a list of events of a run, by their indices, the last index last.
  private static func list(_ run: EventRun, _ indices: Int...) -> [UInt8] {
    let sequences = indices.map {
      SequenceNumber(rawValue: run.firstSequence.rawValue + UInt64($0))
    }
    let last = sequences[sequences.count - 1]
    let id = run.slice(0..<indices[indices.count - 1] + 1).lastID
    return ErasureList(
      erasure: erasure, last: Head(replica: run.replica, sequence: last, id: id),
      others: Set(sequences.dropLast())
    ).written
  }

  /// Lets a log obey lists; false for an adapter of another program, which never does.
  private static func obey(_ probe: EventLogProbe) -> Bool {
    guard let adapter = probe.log as? any LogAdapter else { return false }
    adapter.handle.rules.obeysErasureLists = true
    return true
  }

  private static func redacted(_ probe: EventLogProbe) throws -> [UInt64] {
    try probe.events().enumerated().filter { $1.redacted?.erasure == erasure }
      .map { UInt64($0.offset) + 1 }
  }

  static let erasureLists: [Check] = [
    Check("A list erases the payloads that it names, whichever arrives first") { probe in
      guard obey(probe) else { return }
      var (history, teller) = (probe.history(1), probe.history(2))
      let run = history.run(sealed(4))
      let told = teller.run([list(run, 0, 2), Array("note".utf8)])
      _ = try await probe.append(run.slice(0..<1))
      _ = try await probe.append(told)
      try expect(try redacted(probe), is: [], "before the last event of the list arrives")
      _ = try await probe.append(run)
      try expect(try redacted(probe), is: [1, 5], "the positions of the erased payloads")
      try expect(try probe.log.damagedEvents(), is: [], "damaged events")
      _ = try await probe.append(run)
      _ = try await probe.append(told)
      try expect(try redacted(probe), is: [1, 5], "after the same runs again")
      let later = history.run(sealed(1))
      _ = try await probe.log.append(
        [later, teller.run([list(later, 0)])], wallClock: EventLogProbe.noon, erasures: nil)
      try expect(try redacted(probe), is: [1, 5, 7], "a list in one call with its events")
    },
    Check("A list erases nothing on another branch, and nothing that is not sealed") { probe in
      guard obey(probe) else { return }
      var history = probe.history(1)
      let common = history.run(sealed(1))
      var fork = history
      let (run, other) = (history.run(sealed(2)), fork.run([Array("plain".utf8)] + sealed(1)))
      for run in [common, run, other] { _ = try await probe.append(run) }
      var teller = probe.history(2)
      _ = try await probe.append(teller.run([list(run, 0, 1)]))
      try expect(try redacted(probe), is: [2, 3], "the branch that the list names")
      _ = try await probe.append(teller.run([list(other, 0, 1)]))
      try expect(try redacted(probe), is: [2, 3, 5], "the sealed payload of the other branch")
    },
    Check("A log that was not told to obey lists keeps what they name") { probe in
      var (history, teller) = (probe.history(1), probe.history(2))
      let run = history.run(sealed(2))
      _ = try await probe.append(run)
      _ = try await probe.append(teller.run([list(run, 0, 1)]))
      try expect(try redacted(probe), is: [], "erased payloads")
    },
    Check("Many lists without their events do not keep a later one from being obeyed") { probe in
      guard obey(probe) else { return }
      var (history, teller) = (probe.history(1), probe.history(2))
      let run = history.run(sealed(2))
      let empty = (3...102).map { (number: UInt64) in
        var other = probe.history(number)
        return list(other.run(sealed(1)), 0)
      }
      _ = try await probe.append(teller.run(empty))
      _ = try await probe.append(teller.run([list(run, 1)]))
      _ = try await probe.append(run)
      try expect(try redacted(probe).count, is: 1, "erased payloads")
    },
  ]
}
