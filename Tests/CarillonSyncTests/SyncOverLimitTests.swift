import CarillonLog
import CarillonModel
import CarillonSync
import CarillonTestSupport
import CarillonTesting
import CarillonWire
import Testing

/// A conforming side stays within the limits when it sends, and refuses what exceeds them.
///
/// Removing any limit makes a test here or in ``SyncLimitTests`` fail.
struct SyncOverLimitTests {
  private static let noon = Instant(milliseconds: 1_790_000_000_000)

  @Test(
    "Events that inflate to more than eight times the message limit are refused",
    arguments: [9, 12])
  func inflation(count: Int) throws {
    var run = SyncFixture.run()
    run.milliseconds = Array(repeating: 1, count: count)
    run.counters = Array(repeating: 0, count: count)
    run.lengths = Array(repeating: 16_384, count: count)
    run.payloads = Array(repeating: 0, count: count * 16_384)
    let deflated = try #require(Deflate.deflated(SyncRun.encode([run]), level: 9))
    let message = SyncFixture.message { $0.events = .deflated(deflated) }
    let options = SyncOptions(maxMessageBytes: 20_000)
    let refusals = try Self.ask(message.encoded(), options)
    #expect(refusals.map(\.code) == (count * 16_384 > 160_000 ? [.malformed] : []))
  }

  @Test("An answer above the limit ends a sync unread")
  func answer() async throws {
    var fixture = SyncFixture(seed: 1)
    let log = fixture.log()
    try fixture.write(1, to: log)
    var answer = SyncMessage()
    answer.vector = .init(heads: [])
    let bytes = answer.encoded()
    // An unknown field, which is skipped, fills the rest.
    let full = bytes + [0xBA, 0x3E, 0xE0, 0xD4, 0x03] + Array(repeating: 0, count: 60_000)
    let initiator = SyncSimulation.leading(log, wallClock: Self.noon)
    let error = await #expect(throws: SyncError.self) {
      try await initiator.run(answers: 1) { full }
    }
    #expect(error?.code == .messageTooLarge)
  }

  @Test("Columns of different lengths are malformed")
  func columns() throws {
    let changes: [(inout SyncRun) -> Void] = [
      { $0.lengths = [5] },
      { $0.payloads += [1] },
      { $0.milliseconds += [1] },
      { $0.milliseconds = [] },
      { $0.counters = [1, 2] },
    ]
    for (index, change) in changes.enumerated() {
      var run = SyncFixture.run()
      change(&run)
      let message = SyncFixture.message { $0.events = .stored(SyncRun.encode([run])) }
      #expect(try Self.ask(message.encoded()).map(\.code) == [.malformed], "change \(index)")
    }
  }

  @Test("A locator beyond the maximum sequence is malformed, and so are events in both encodings")
  func parts() throws {
    let locator = SyncLocator(replica: .prefix(1), sequence: 1 << 53 + 1, suffixes: [1])
    #expect(
      try Self.ask(SyncFixture.message { $0.locators = [locator] }.encoded()).map(\.code)
        == [.malformed])
    let stored = SyncFixture.message { $0.events = .stored(SyncRun.encode([SyncFixture.run()])) }
    var deflated = SyncMessage()
    deflated.events = .deflated([1, 2, 3])
    // Concatenated protobuf messages decode as one message with the fields of both.
    #expect(try Self.ask(stored.encoded() + deflated.encoded()).map(\.code) == [.malformed])
  }

  @Test("At most 256 refusals of 500 characters are read, and at most 16 are sent")
  func refusals() async throws {
    var message = SyncMessage()
    let text = String(repeating: "x", count: 501)
    message.refusals = Array(
      repeating: SyncRefusal(code: .corruptRun, text: text), count: 257)
    let read = try SyncMessage(bytes: message.encoded()).refusals
    #expect(read.count == 256)
    #expect(read.allSatisfy { $0.text.count == 500 })
    var fixture = SyncFixture(seed: 2)
    let log = fixture.log()
    var bad = SyncFixture.run()
    bad.replica = .full(ReplicaID(high: 1 << 32, low: 9))
    bad.firstSequence = 1
    bad.previousSuffix = 0
    let question = SyncFixture.message {
      $0.vector = nil
      $0.number = 1
      $0.events = .stored(SyncRun.encode(Array(repeating: bad, count: 40)))
    }
    let answer = try await SyncSimulation.answer(
      to: question.encoded(), of: log, wallClock: Self.noon)
    #expect(try SyncMessage(bytes: answer).refusals.count == 16)
  }

  @Test("Each side requests at most 1,024 damaged events and reports all of them")
  func wanted() async throws {
    var fixture = SyncFixture(seed: 3)
    let left = fixture.log()
    try fixture.write(1_200, to: left)
    let right = fixture.copy(left)
    // A log names at most 1,000 damaged events; its projections name the missing ones.
    for log in [left, right] {
      for place in log.places.prefix(1_000) { try log.damagePayload(place.branch, place.index) }
      for place in log.places[1_000..<1_100] { log.forgetContent(place.branch, place.index) }
    }
    let options = SyncOptions(audits: true)
    var simulation = try SyncSimulation(
      initiator: left, responder: right, wallClock: Instant(milliseconds: fixture.clock),
      seed: fixture.generator.next(), options: (options, options),
      contents: (left.contents, right.contents))
    let report = try #require(try await simulation.run())
    var asked: [Bool: Set<SyncPoint>] = [:]
    for (toResponder, bytes) in simulation.transcript {
      asked[toResponder, default: []].formUnion(try SyncMessage(bytes: bytes).wanted)
    }
    #expect(asked[true]?.count == 1_024 && (1_000...1_024).contains(asked[false]?.count ?? 0))
    #expect(report.unrepaired.count { !$0.isRemote } == 1_000)
  }

  @Test(
    "No message exceeds its limits and everything arrives, however many heads there are",
    arguments: [(1_800, 100), (100, 1_800), (1, 1_800)], [20_000, 200_000])
  func heads(counts: (left: Int, right: Int), limit: Int) async throws {
    let (left, right) = counts
    let logs = try [left, right].map { _ in try Self.log() }
    for (number, (log, count)) in zip(logs, [left, right]).enumerated() {
      let runs = (0..<count).map { index in
        var history = EventHistory(
          ReplicaID(high: UInt64(number * 10_000 + index + 1) << 32, low: 1))
        return history.run(count: 1)
      }
      _ = try await log.append(runs, wallClock: Self.noon)
    }
    var simulation = try SyncSimulation(
      initiator: logs[0], responder: logs[1], wallClock: Self.noon, seed: 1,
      options: (SyncOptions(maxMessageBytes: limit), SyncOptions(maxMessageBytes: limit)))
    let report = try #require(try await simulation.run())
    #expect(report.refused.isEmpty)
    #expect(simulation.transcript.allSatisfy { $0.bytes.count <= limit })
    #expect(try logs.map { try $0.branches().count } == [left + right, left + right])
  }

  @Test("A message holds no more events than a receiver accepts")
  func events() async throws {
    let logs = try (0..<2).map { _ in try Self.log() }
    var history = EventHistory(ReplicaID(high: 1 << 32, low: 1))
    _ = try await logs[0].append(
      [history.run(Array(repeating: [7], count: 66_000))], wallClock: Self.noon)
    let options = SyncOptions(maxMessageBytes: 4 << 20)
    var simulation = try SyncSimulation(
      initiator: logs[0], responder: logs[1], wallClock: Self.noon, seed: 1,
      options: (options, options))
    let report = try #require(try await simulation.run())
    #expect(report.eventsSent == 66_000 && report.refused.isEmpty)
  }

  @Test("A message whose events deflate worse than the previous ones is cut to the limit")
  func deflated() async throws {
    var fixture = SyncFixture(seed: 4)
    let (left, right) = (fixture.log(), fixture.log())
    try fixture.write(400, to: left) { _ in Array(repeating: 0, count: 1_000) }
    try fixture.write(200, to: left) { SyncFixture.bytes(1_000, &$0) }
    var simulation = try fixture.simulation(left, right)
    _ = try #require(try await simulation.run())
    #expect(simulation.transcript.allSatisfy { $0.bytes.count <= 60_000 })
    #expect(left.isEqual(to: right))
  }

  @Test("At most as many messages as the window allows are in flight", arguments: [1, 4, 9])
  func window(width: Int) async throws {
    var fixture = SyncFixture(seed: 5)
    let (left, right) = (fixture.log(), fixture.log())
    try fixture.write(400, to: left) { SyncFixture.bytes(1_000, &$0) }
    try fixture.write(400, to: right) { SyncFixture.bytes(1_000, &$0) }
    var simulation = try fixture.simulation(
      left, right, options: SyncOptions(maxMessageBytes: 20_000, window: width))
    var most = 0
    while try await simulation.step() == nil {
      most = max(most, simulation.undelivered.count)
    }
    #expect(most == width)
    #expect(left.isEqual(to: right))
  }

  // MARK: -

  private static func log() throws -> InMemoryEventLog {
    InMemoryEventLog(storeID: SyncFixture.store, replica: ReplicaID(high: 7 << 32, low: 7))
  }

  private static func ask(
    _ bytes: [UInt8], _ options: SyncOptions = SyncOptions()
  ) throws -> [SyncRefusal] {
    let identity = ReplicaIdentity(
      replica: ReplicaID(high: 1, low: 1), predecessor: nil, isAnnounced: true)
    var responder = SyncResponder(
      store: SyncFixture.store, log: LogSnapshot(branches: [], identity: identity),
      options: options)
    var actions = try responder.handle(.message(bytes))
    if case .findWanted? = actions.last { actions = try responder.handle(.wanted([])) }
    guard case .send(let bytes)? = actions.last else {
      throw SyncError(code: .malformed, message: "no answer")
    }
    return try SyncMessage(bytes: bytes).refusals
  }
}
