import CarillonLog
import Carillon
import CarillonModel
import CarillonSync
import CarillonTestSupport
import CarillonTesting
import CarillonWire
import Synchronization
import Testing

/// Responders that try to keep an initiator busy forever: each sync ends after a bounded number of
/// messages.
struct SyncEndlessTests {
  /// The answer of a hostile responder to a message.
  typealias Hostile = @Sendable (SyncMessage, inout SeededGenerator) -> SyncMessage

  private func lead(
    against hostile: Hostile, most: Int, seed: UInt64 = 1, count: Int = 300,
    numbering: (UInt32) -> UInt32 = { $0 }
  ) async throws -> Result<SyncReport, SyncError> {
    var fixture = SyncFixture(seed: seed)
    let log = fixture.log()
    try fixture.write(count, to: log)
    let executor = SyncExecutor(log: log, wallClock: Instant(milliseconds: fixture.clock))
    var initiator = SyncInitiator(
      store: log.storeID, log: try executor.snapshot(), options: SyncOptions())
    var inputs: [SyncInput] = [.start]
    var messages = 0
    while let input = inputs.popLast() {
      do {
        for action in try initiator.handle(input) {
          if case .finished(let report) = action { return .success(report) }
          if let next = try await executor.perform(action) { inputs.append(next) }
          guard case .send(let bytes) = action else { continue }
          messages += 1
          let question = try SyncMessage(bytes: bytes)
          var answer = hostile(question, &fixture.generator)
          answer.number = numbering(question.number)
          inputs.insert(.message(answer.encoded()), at: 0)
        }
        if inputs.isEmpty, case .message = input {
          // Nothing was sent: the peer repeats its last answer.
          messages += 1
          inputs.append(input)
        }
      } catch let error as SyncError {
        return .failure(error)
      }
      if messages > most { break }
    }
    Issue.record("\(messages) messages, and the sync did not end")
    throw SyncError(code: .noProgress, message: "no end")
  }

  private static func announcing(_ heads: [SyncPoint], remaining: Int = 0) -> SyncMessage {
    var message = SyncMessage()
    message.vector = .init(heads: heads, remaining: remaining)
    return message
  }

  private static func random(_ generator: inout SeededGenerator) -> SyncPoint {
    SyncPoint(
      prefix: UInt32(truncatingIfNeeded: generator.next()), sequence: 1 + generator.next() >> 20,
      suffix: generator.next())
  }

  @Test("An answer to a hello without a vector is malformed")
  func noVector() async throws {
    let result = try await lead(against: { _, _ in SyncMessage() }, most: 1)
    #expect(throws: SyncError.self) { try result.get() }
  }

  @Test("An empty vector that announces more heads is malformed")
  func emptyVector() async throws {
    let result = try await lead(against: { _, _ in Self.announcing([], remaining: 5) }, most: 1)
    let error = #expect(throws: SyncError.self) { try result.get() }
    #expect(error?.code == .malformed)
  }

  @Test("A vector without end fails with too many heads")
  func endlessVector() async throws {
    let result = try await lead(
      against: { _, generator in
        Self.announcing((0..<512).map { _ in Self.random(&generator) }, remaining: 1_000)
      }, most: 6)
    #expect(throws: SyncError.self) { try result.get() }
  }

  @Test("Heads that are never sent are given up and reported", arguments: [1, 30, 200])
  func absentHeads(count: Int) async throws {
    let heads = (0..<count).map {
      SyncPoint(prefix: UInt32($0) + 9, sequence: 5, suffix: UInt64($0))
    }
    let result = try await lead(
      against: { question, _ in
        question.number == 0 ? Self.announcing(heads) : acknowledging(question)
      }, most: 4 + 3 * (count / 24 + 1))
    let report = try result.get()
    #expect(report.refused.count == count)
  }

  @Test("Repeated vectors are read only a few times")
  func announcements() async throws {
    let result = try await lead(
      against: { question, generator in
        var answer = Self.announcing([Self.random(&generator)])
        answer.acknowledged = acknowledging(question).acknowledged
        return answer
      }, most: 40)
    #expect(try !result.get().refused.isEmpty)
  }

  @Test("A sync in which no run is acknowledged ends")
  func unacknowledged() async throws {
    let result = try await lead(against: { _, _ in Self.announcing([]) }, most: 80)
    let error = #expect(throws: SyncError.self) { try result.get() }
    #expect(error?.code == .noProgress)
  }

  @Test("A sync in which the locators keep changing ends")
  func locators() async throws {
    let result = try await lead(
      against: { question, generator in
        var answer = Self.announcing([])
        if let run = runs(of: question).first {
          answer.locators = [
            SyncLocator(
              replica: .prefix(run.end.prefix), sequence: 1 + generator.next() % 300,
              suffixes: [generator.next()])
          ]
        }
        return answer
      }, most: 80)
    let error = #expect(throws: SyncError.self) { try result.get() }
    #expect(error?.code == .noProgress)
  }

  @Test("A flood of wanted events ends with an error if they exist, and is ignored otherwise")
  func wanted() async throws {
    let existing = try await lead(
      against: { question, generator in
        var answer = Self.announcing([])
        answer.acknowledged = acknowledging(question).acknowledged
        let prefix = answer.acknowledged.first?.prefix ?? 0
        answer.wanted = (0..<64).map { _ in
          SyncPoint(prefix: prefix, sequence: 1 + generator.next() % 3_000, suffix: 0)
        }
        return answer
      }, most: 80, count: 3_000)
    let error = #expect(throws: SyncError.self) { try existing.get() }
    #expect(error?.code == .malformed)
    let absent = try await lead(
      against: { question, generator in
        var answer = Self.announcing([])
        answer.acknowledged = acknowledging(question).acknowledged
        answer.wanted = (0..<64).map { _ in Self.random(&generator) }
        answer.wantedRemaining = 1_000_000
        return answer
      }, most: 80)
    if case .success(let report) = absent { #expect(report.unrepaired.isEmpty) }
  }

  @Test("A sync in which every answer repeats a held event ends")
  func heldAgain() async throws {
    // The initiator's own first event.
    var fixture = SyncFixture(seed: 1)
    let own = fixture.log()
    try fixture.write(300, to: own)
    var run = OutgoingRun(
      branch: BranchIndex(rawValue: 0), reference: .full(own.saved.identity.replica),
      firstSequence: 1, previous: nil)
    let first = own.saved.events[0][0]
    first.payload.withUnsafeBytes { run.append(id: first.id, payload: $0) }
    let (head, encoded) = (own.saved.branches[0].head, SyncRun.encode([run.run]))
    let result = try await lead(
      against: { _, _ in
        var answer = Self.announcing([SyncPoint(head)])
        answer.events = .stored(encoded)
        return answer
      }, most: 200)
    let error = #expect(throws: SyncError.self) { try result.get() }
    #expect(error?.code == .noProgress)
  }

  @Test("A sync in which the answers have unknown message numbers ends")
  func numbers() async throws {
    let result = try await lead(
      against: { _, _ in Self.announcing([]) }, most: 200, numbering: { $0 + 1_000 })
    let error = #expect(throws: SyncError.self) { try result.get() }
    #expect(error?.code == .noProgress)
    #expect(
      error?.message.contains("the peer's last answer was ignored: it answers message 1000") == true
    )
  }

  @Test("Every refusal code ends the sync with an error, even an unknown code")
  func refusals() async throws {
    for code in [1, 2, 3, 4, 7, 8, 9, 10, 13, 99] {
      let result = try await lead(
        against: { _, _ in
          var answer = SyncMessage()
          answer.refusals = [
            SyncRefusal(
              code: .init(rawValue: code), number: 2, limit: 5, text: "no\u{1B}[2J\u{7}")
          ]
          return answer
        }, most: 1)
      let error = #expect(throws: SyncError.self, "code \(code)") { try result.get() }
      #expect(error?.message == "the peer refused: no[2J")
    }
  }

  @Test("A refusal without text is described by its code and numbers")
  func wordless() async throws {
    let words: [Int: String] = [
      1: "it holds another store", 2: "it speaks versions up to 5",
      3: "a message of 7 bytes; its limit is 5", 4: "it has 7 heads; the limit is 5",
      7: "it is busy; retry in 7 milliseconds", 8: "it cannot read the message",
      9: "it does not know this device", 10: "it revoked this device's access",
      99: "unknown refusal code 99",
    ]
    for (code, words) in words {
      let result = try await lead(
        against: { _, _ in
          var answer = SyncMessage()
          answer.refusals = [
            SyncRefusal(
              code: .init(rawValue: code), number: code == 2 ? 2 : 7, limit: 5, text: "")
          ]
          return answer
        }, most: 1)
      let error = #expect(throws: SyncError.self, "code \(code)") { try result.get() }
      #expect(error?.message == "the peer refused: \(words)")
    }
  }

  @Test("A sync that refused all new events reports that the heads differ")
  func refusedNews() async throws {
    var run = SyncFixture.run()
    run.replica = .full(ReplicaID(high: 9 << 32, low: 9))
    (run.firstSequence, run.previousSuffix, run.milliseconds) = (1, 0, [1 << 60])
    let (end, encoded) = (run.end, SyncRun.encode([run]))
    let result = try await lead(
      against: { question, _ in
        var answer = acknowledging(question)
        if question.isHello { answer.vector = .init(heads: (question.vector?.heads ?? []) + [end]) }
        if question.isHello { answer.events = .stored(encoded) }
        return answer
      }, most: 4)
    let report = try result.get()
    #expect(report.method == .vector && report.headsDiffer && !report.isComplete)
    #expect(report.refused.contains { $0.contains("timestamp of sequence 1") })
    #expect(report.eventsReceived == 0)
  }

  @Test("A sync in which every answer holds one event of an endless history ends")
  func sparse() async throws {
    let replica = ReplicaID(high: 9 << 32, low: 9)
    let history = Mutex(EventHistory(replica))
    let result = try await lead(
      against: { question, _ in
        var answer = acknowledging(question)
        if question.isHello {
          let end = SyncPoint(prefix: replica.prefix, sequence: 1 << 53, suffix: 1)
          answer.vector = .init(heads: (question.vector?.heads ?? []) + [end])
        } else {
          answer.events = history.withLock { history in
            let (previous, first) = (history.last, history.sequence + 1)
            let item = history.run(count: 1).items[0]
            var run = OutgoingRun(
              branch: BranchIndex(rawValue: 0), reference: .full(replica), firstSequence: first,
              previous: first > 1 ? previous : nil)
            item.payload.withUnsafeBytes { run.append(id: history.last, payload: $0) }
            return .stored(SyncRun.encode([run.run]))
          }
        }
        return answer
      }, most: 80)
    let error = #expect(throws: SyncError.self) { try result.get() }
    #expect(error?.code == .noProgress)
  }

  @Test("More events than the announced heads can have are malformed")
  func moreThanAnnounced() async throws {
    var fixture = SyncFixture(seed: 3)
    let other = fixture.log()
    try fixture.write(40, to: other)
    var run = OutgoingRun(
      branch: BranchIndex(rawValue: 0), reference: .full(other.saved.identity.replica),
      firstSequence: 1, previous: nil)
    for event in other.saved.events[0] {
      event.payload.withUnsafeBytes { run.append(id: event.id, payload: $0) }
    }
    let (end, encoded) = (run.run.end, SyncRun.encode([run.run]))
    let result = try await lead(
      against: { _, _ in
        var answer = Self.announcing([SyncPoint(prefix: end.prefix, sequence: 7, suffix: 7)])
        answer.events = .stored(encoded)
        return answer
      }, most: 4)
    let error = #expect(throws: SyncError.self) { try result.get() }
    #expect(error?.code == .malformed)
  }
}

/// The runs of a message.
private func runs(of message: SyncMessage) -> [SyncRun] {
  switch message.events {
  case .none: []
  case .stored(let bytes): (try? SyncRun.decode(bytes)) ?? []
  case .deflated(let bytes):
    Deflate.inflated(bytes, limit: 480_000).flatMap { try? SyncRun.decode($0) } ?? []
  }
}

/// An answer that acknowledges all runs of a message.
private func acknowledging(_ message: SyncMessage) -> SyncMessage {
  var answer = SyncMessage()
  answer.acknowledged = runs(of: message).map(\.end)
  return answer
}
