import CarillonLog
import CarillonModel
import CarillonSync
import CarillonTestSupport
import CarillonTesting
import CarillonWire
import Testing

/// Identifiers that are sent by number, and the dictionaries that both sides derive.
struct SyncDictionaryTests {
  enum Difference: Sendable, CaseIterable { case damaged, erased, missing }

  @Test("Payloads are restored byte for byte, whatever they contain", arguments: TestSeed.first(50))
  func restored(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let identifiers = (0..<5).map { _ in HabitID.random(using: &generator) }
    var table = IdentifierTable()
    for identifier in identifiers[..<2] {
      Payloads.mention(identifier).withUnsafeBytes { table.add(payload: $0) }
    }
    let runs = (0..<3).map { _ in
      var run = SyncRun(replica: .prefix(1), firstSequence: 2, previousSuffix: 1)
      for _ in 0..<Int.random(in: 1...40, using: &generator) {
        let payload = Payloads.any(of: identifiers, &generator)
        run.milliseconds.append(1)
        run.counters.append(0)
        run.lengths.append(UInt32(payload.count))
        run.payloads += payload
      }
      return run
    }
    for dictionary in [IdentifierTable(), table] {
      let encoded = SyncRun.encode(runs, dictionary: dictionary)
      let read = try SyncRun.decode(encoded, dictionary: dictionary, maxPayloadBytes: 1_000_000)
      #expect(read == runs, "seed \(seed)")
    }
  }

  @Test(
    "Random histories become equal over a faulty transport, whatever one side erased or damaged",
    arguments: TestSeed.first(24))
  func histories(seed: UInt64) async throws {
    var fixture = SyncFixture(seed: seed)
    let identifiers = (0..<12).map { _ in HabitID.random(using: &fixture.generator) }
    func write(_ count: Int, to log: InMemoryEventLog) throws {
      try fixture.write(count, to: log) { Payloads.any(of: identifiers, &$0) }
    }
    let (left, other) = (fixture.log(), fixture.log())
    try write(150, to: left)
    try write(50, to: other)
    _ = try await fixture.synchronize(left, other)
    let right = seed % 3 == 0 ? fixture.copy(left) : other
    var changed: Set<EventID> = []
    for log in [left, right] {
      for difference in Difference.allCases where fixture.generator.next() % 4 == 0 {
        let place = log.places[Int.random(in: 0..<150, using: &fixture.generator)]
        changed.insert(log.saved.events[place.branch][place.index].id)
        try await Self.change(log, place.branch, place.index, difference)
      }
    }
    try write(Int.random(in: 1...60, using: &fixture.generator), to: left)
    try write(Int.random(in: 0...60, using: &fixture.generator), to: right)
    // A first sync is cut.
    var first = try fixture.simulation(left, right)
    _ = try await first.run(cutAfter: Int.random(in: 0...4, using: &fixture.generator))
    var second = try SyncSimulation(
      initiator: left, responder: right, wallClock: Instant(milliseconds: fixture.clock),
      seed: seed, faults: .watch, contents: (left.contents, right.contents))
    _ = try #require(try await second.run(maxSteps: 2_000), "seed \(seed)")
    let held = [left, right].map { log in
      Set(log.saved.events.joined().filter { !changed.contains($0.id) })
    }
    #expect(held[0] == held[1], "seed \(seed)")
    #expect(left.eventCount == right.eventCount, "seed \(seed)")
  }

  @Test("Known identifiers are sent by number, and new ones once")
  func known() async throws {
    var pair = try await Pair(seed: 1)
    try pair.write()
    let (report, messages) = try await pair.synchronize()
    #expect(report.roundTrips == 2)
    #expect(messages.count { $0.dictionary != nil } == 2)
    #expect(!messages.contains { $0.isDictionaryUnknown })
    for bytes in try messages.map(inflated) {
      for identifier in pair.identifiers { #expect(bytes.ranges(of: identifier.bytes).isEmpty) }
      #expect(bytes.ranges(of: pair.newIdentifier.bytes).count <= 1)
    }
  }

  @Test("The last of many messages has a dictionary of the events before it", arguments: 1...3)
  func severalMessages(seed: UInt64) async throws {
    var pair = try await Pair(seed: seed)
    let identifiers = pair.identifiers
    for log in [pair.left, pair.right] {
      try pair.fixture.write(700 + Int(seed), to: log) { generator in
        Payloads.any(of: identifiers, &generator) + SyncFixture.bytes(100, &generator)
      }
    }
    let options = SyncOptions(maxMessageBytes: 20_000)
    let (report, messages) = try await pair.synchronize((options, options))
    #expect(!messages.contains { $0.isDictionaryUnknown }, "seed \(seed)")
    #expect(messages.count { $0.dictionary != nil } > 5, "seed \(seed)")
    #expect(report.isComplete)
  }

  @Test("A peer of version 1 receives payloads as they are")
  func olderVersion() async throws {
    for (leading, answering) in [(1, 2), (2, 1)] as [(UInt32, UInt32)] {
      var pair = try await Pair(seed: 2)
      try pair.write()
      var options = (SyncOptions(), SyncOptions())
      options.0.versions = 1...leading
      options.1.versions = 1...answering
      let (report, messages) = try await pair.synchronize(options)
      #expect(report.roundTrips == (leading == 1 ? 2 : 3))
      #expect(!messages.contains { $0.dictionary != nil })
      for bytes in try messages.map(inflated) where !bytes.isEmpty {
        #expect(!bytes.ranges(of: pair.identifiers[0].bytes).isEmpty)
      }
    }
  }

  @Test(
    "If one side derives another dictionary, events are sent in full, in one more round trip",
    arguments: Difference.allCases, [0, 6])
  func unknown(difference: Difference, rightCount: Int) async throws {
    for isLeft in [false, true] {
      try await unknown(difference, isLeft: isLeft, rightCount: rightCount)
    }
  }

  private func unknown(_ difference: Difference, isLeft: Bool, rightCount: Int) async throws {
    var pair = try await Pair(seed: 3)
    // The only event with its identifier is the last one that both hold.
    try await Self.change(isLeft ? pair.left : pair.right, 0, 19, difference)
    try pair.write(right: rightCount)
    let (report, messages) = try await pair.synchronize()
    #expect(report.roundTrips == 3)
    #expect(report.eventsSent == 6 && report.eventsReceived == rightCount)
    #expect(report.isComplete)
    #expect(messages.count { $0.dictionary != nil } == 1)
    #expect(messages.contains { $0.isDictionaryUnknown })
    #expect(pair.left.eventCount == pair.right.eventCount)
  }

  @Test("A responder that takes a forked initiator for one that is ahead sends in full later")
  func fork() async throws {
    var pair = try await Pair(seed: 4)
    let restored = pair.fixture.copy(pair.earlier)
    let identifiers = pair.identifiers
    try pair.fixture.write(30, to: restored) { Payloads.any(of: identifiers, &$0) }
    try pair.write(left: 0)
    var simulation = try pair.fixture.simulation(restored, pair.right)
    let report = try #require(try await simulation.run())
    #expect(report.isComplete)
    #expect(restored.isEqual(to: pair.right))
    let messages = try simulation.transcript.map { try SyncMessage(bytes: $0.bytes) }
    #expect(messages.contains { $0.isDictionaryUnknown })
  }

  @Test("Numbers of no identifier are malformed, and so are identifiers of no number")
  func hostileNumbers() async throws {
    let pair = try await Pair(seed: 5)
    let payload: [UInt8] = [0x0A, 16, 0x10, 1]
    let identifier = Array(repeating: UInt8(7), count: 16)
    let good = Short(payload: payload, length: 20, numbers: [0], identifiers: identifier)
    #expect(try SyncRun.decode(good.bytes, maxPayloadBytes: 1_000).count == 1)
    let changes: [(inout Short) -> Void] = [
      { $0.numbers = [1] },
      { $0.numbers = [-1] },
      { $0.numbers = [.max] },
      { $0.numbers = [.min] },
      { $0.numbers = [] },
      { $0.numbers = [0, 0] },
      { $0.identifiers = [] },
      { $0.identifiers.removeLast() },
      { $0.identifiers += identifier },
      { $0.payload.removeLast() },
      { $0.payload.append(1) },
      { $0.payload = [] },
      { $0.length = 19 },
      { $0.length = 21 },
      { $0.payloads = [1] },
    ]
    for (index, change) in changes.enumerated() {
      var short = good
      change(&short)
      let error = #expect(throws: ModelError.self, "change \(index)") {
        _ = try SyncRun.decode(short.bytes, maxPayloadBytes: 1_000)
      }
      #expect(error?.code == .malformed, "change \(index)")
      let (log, before) = (pair.left, pair.left.eventCount)
      let question = SyncFixture.message {
        $0.version = 2
        $0.events = .stored(short.bytes)
      }
      let answer = try await SyncSimulation.answer(
        to: question.encoded(), of: log, wallClock: Instant(milliseconds: pair.fixture.clock))
      #expect(try SyncMessage(bytes: answer).refusals.map(\.code) == [.malformed])
      var reply = SyncMessage()
      reply.vector = .init(heads: [SyncFixture.point])
      reply.events = .stored(short.bytes)
      let initiator = SyncSimulation.leading(
        log, wallClock: Instant(milliseconds: pair.fixture.clock))
      let failure = await #expect(throws: SyncError.self, "change \(index)") {
        try await initiator.run(answers: 1) { reply.encoded() }
      }
      #expect(failure?.code == .malformed, "change \(index)")
      #expect(log.eventCount == before)
    }
  }

  @Test("A dictionary that ends with an unknown event is reported, and nothing is read")
  func unknownEnd() async throws {
    let pair = try await Pair(seed: 6)
    let question = SyncFixture.message {
      $0.version = 2
      $0.dictionary = .init(end: SyncFixture.point, check: 7)
      $0.events = .stored([1, 2, 3])
    }
    let answer = try SyncMessage(
      bytes: await SyncSimulation.answer(
        to: question.encoded(), of: pair.left,
        wallClock: Instant(milliseconds: pair.fixture.clock)))
    #expect(answer.isDictionaryUnknown && answer.refusals.isEmpty && answer.vector != nil)
  }

  @Test("A second dictionary after an unknown one ends a sync with an error")
  func insistent() async throws {
    let pair = try await Pair(seed: 7)
    var reply = SyncMessage()
    reply.vector = .init(heads: [SyncFixture.point])
    reply.dictionary = .init(end: SyncFixture.point, check: 7)
    reply.events = .stored([1])
    let initiator = SyncSimulation.leading(
      pair.left, wallClock: Instant(milliseconds: pair.fixture.clock))
    let error = await #expect(throws: SyncError.self) {
      try await initiator.run(answers: 2) {
        defer { reply.number += 1 }
        return reply.encoded()
      }
    }
    #expect(error?.code == .malformed)
    #expect(error?.message.contains("asked not to use") == true)
  }

  @Test(
    "Short payloads that would grow beyond eight times the message limit are refused",
    arguments: [160_000, 160_020])
  func memory(size: Int) async throws {
    let pair = try await Pair(seed: 8)
    var run = SyncFixture.run()
    let count = size / 20
    run.milliseconds = Array(repeating: 1, count: count)
    run.counters = Array(repeating: 0, count: count)
    run.lengths = Array(repeating: 20, count: count)
    let payload = [0x0A, 16] + Array(repeating: 9, count: 16) + [0x10, 1] as [UInt8]
    run.payloads = Array(repeatElement(payload, count: count).joined())
    let plain = SyncRun.encode([run], dictionary: IdentifierTable())
    let question = SyncFixture.message {
      $0.version = 2
      $0.events = .deflated(Deflate.deflated(plain, level: 6) ?? [])
    }
    #expect(plain.count < 160_000 && question.encoded().count < 2_000)
    let answer = try await SyncSimulation.answer(
      to: question.encoded(), of: pair.left,
      wallClock: Instant(milliseconds: pair.fixture.clock),
      options: SyncOptions(maxMessageBytes: 20_000))
    let codes = try SyncMessage(bytes: answer).refusals.map(\.code)
    #expect(codes == (size > 160_000 ? [.malformed] : []))
  }

  // MARK: - Support

  private static func change(
    _ log: InMemoryEventLog, _ branch: Int, _ index: Int, _ difference: Difference
  ) async throws {
    switch difference {
    case .damaged: try log.damagePayload(branch, index)
    case .missing: log.forgetContent(branch, index)
    case .erased:
      let position = try #require(
        log.places.firstIndex { $0.branch == branch && $0.index == index })
      let held = try #require(log.saved.events[0].last).id
      _ = try await log.erase(
        [ErasedPayload(position: LogPosition(rawValue: UInt64(position) + 1), erasure: held)])
    }
  }

  /// Two logs that share 20 events of the left one and one of the right one.
  ///
  /// Only the last of the 20 has the sixth identifier.
  private struct Pair: Sendable {
    var fixture: SyncFixture
    let left: InMemoryEventLog
    let right: InMemoryEventLog
    /// The left log before its last 5 shared events.
    let earlier: InMemoryEventLog
    let identifiers: [HabitID]
    let newIdentifier: HabitID

    init(seed: UInt64) async throws {
      var fixture = SyncFixture(seed: seed)
      (left, right) = (fixture.log(), fixture.log())
      identifiers = (0..<6).map { _ in HabitID.random(using: &fixture.generator) }
      newIdentifier = .random(using: &fixture.generator)
      for place in 0..<15 { try fixture.mention(identifiers[place % 5], in: left) }
      earlier = fixture.copy(left)
      for place in [0, 1, 2, 3, 5] { try fixture.mention(identifiers[place], in: left) }
      _ = try await fixture.synchronize(left, right)
      try fixture.mention(identifiers[0], in: right)
      _ = try await fixture.synchronize(left, right)
      self.fixture = fixture
    }

    /// Writes new events that mention the identifiers in turn, and a new identifier twice.
    mutating func write(left leftCount: Int = 6, right rightCount: Int = 6) throws {
      for (log, count) in [(left, leftCount), (right, rightCount)] {
        for place in 0..<count {
          try fixture.mention(place < 4 ? identifiers[place] : newIdentifier, in: log)
        }
      }
    }

    mutating func synchronize(
      _ options: (SyncOptions, SyncOptions) = (SyncOptions(), SyncOptions())
    ) async throws -> (SyncReport, [SyncMessage]) {
      var simulation = try SyncSimulation(
        initiator: left, responder: right, wallClock: Instant(milliseconds: fixture.clock),
        seed: 1, options: options)
      let report = try #require(try await simulation.run())
      return (report, try simulation.transcript.map { try SyncMessage(bytes: $0.bytes) })
    }
  }

  /// The events of a message, inflated.
  private func inflated(_ message: SyncMessage) throws -> [UInt8] {
    switch message.events {
    case .none: []
    case .stored(let bytes): bytes
    case .deflated(let bytes): try #require(Deflate.inflated(bytes, limit: 480_000))
    }
  }
}

extension SyncFixture {
  fileprivate mutating func mention(_ identifier: HabitID, in log: InMemoryEventLog) throws {
    let payload = Payloads.mention(identifier)
    try write(1, to: log) { _ in payload }
  }
}

/// Payloads with identifiers; only some are of a known kind.
private enum Payloads {
  static func mention(_ identifier: HabitID) -> [UInt8] {
    [0x42, 20, 0x0A, 16] + identifier.bytes + [0x10, 2]
  }

  static func any(of identifiers: [HabitID], _ generator: inout SeededGenerator) -> [UInt8] {
    var payload: [UInt8] = []
    repeat {
      let identifier = identifiers[Int.random(in: identifiers.indices, using: &generator)]
      switch generator.next() % 6 {
      case 0, 1: payload += mention(identifier)
      case 2: payload += [0x12, 16] + identifier.bytes
      case 3: payload += [0x0A, 16] + identifier.bytes.dropLast(Int(generator.next() % 16))
      case 4: payload += SyncFixture.small(&generator)
      default: payload += Array(repeating: 16, count: Int.random(in: 1...40, using: &generator))
      }
    } while generator.next() % 2 == 0
    return payload
  }
}

/// A message of events with one run of one event, written by hand.
private struct Short {
  var payload: [UInt8]
  var length: UInt8
  var numbers: [Int64]
  var identifiers: [UInt8]
  /// Payloads as they are, which exclude short ones.
  var payloads: [UInt8] = []

  var bytes: [UInt8] {
    let numbers = numbers.flatMap { varint(UInt64(bitPattern: $0 << 1 ^ $0 >> 63)) }
    let run =
      field(1, [0, 0, 0, 1]) + [0x10, 2] + field(4, [1]) + field(6, [length]) + field(7, payloads)
      + field(15, payload) + field(16, numbers)
    return field(1, run) + field(2, identifiers)
  }

  private func field(_ number: UInt64, _ bytes: [UInt8]) -> [UInt8] {
    bytes.isEmpty ? [] : varint(number << 3 | 2) + varint(UInt64(bytes.count)) + bytes
  }

  private func varint(_ number: UInt64) -> [UInt8] {
    number < 128 ? [UInt8(number)] : [UInt8(number & 127 | 128)] + varint(number >> 7)
  }
}
