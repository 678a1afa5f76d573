import CarillonModel
import CarillonSync
import CarillonTestSupport
import CarillonTesting
import CarillonWire
import Testing

/// The limits of `protocol/SYNC.md`: a value at its limit is accepted, a value beyond it is
/// malformed.
struct SyncLimitTests {
  struct Case: Sendable, CustomStringConvertible {
    let description: String
    let limit: Int
    /// Returns a message with the given number of the limited items.
    let make: @Sendable (Int) -> SyncMessage
  }

  private static let locator = SyncLocator(replica: .prefix(1), sequence: 1, suffixes: [1])

  static let counts: [Case] = [
    Case(description: "heads in a vector", limit: 2_048) { count in
      SyncFixture.message { $0.vector?.heads = Array(repeating: SyncFixture.point, count: count) }
    },
    Case(description: "acknowledgements", limit: 2_048) { count in
      SyncFixture.message { $0.acknowledged = Array(repeating: SyncFixture.point, count: count) }
    },
    Case(description: "targets", limit: 2_048) { count in
      SyncFixture.message {
        $0.request = .init(targets: Array(repeating: SyncFixture.point, count: count), held: [])
      }
    },
    Case(description: "locators in a request", limit: 64) { count in
      SyncFixture.message {
        $0.request = .init(targets: [], held: Array(repeating: locator, count: count))
      }
    },
    Case(description: "locators", limit: 64) { count in
      SyncFixture.message { $0.locators = Array(repeating: locator, count: count) }
    },
    Case(description: "wanted events", limit: 64) { count in
      SyncFixture.message { $0.wanted = Array(repeating: SyncFixture.point, count: count) }
    },
    Case(description: "runs", limit: 256) { count in
      SyncFixture.message {
        $0.events = .stored(SyncRun.encode(Array(repeating: SyncFixture.run(), count: count)))
      }
    },
    Case(description: "events", limit: 65_536) { count in
      SyncFixture.message {
        $0.events = .deflated(
          Deflate.deflated(SyncRun.encode([SyncFixture.run(count: count)]), level: 6) ?? [])
      }
    },
    Case(description: "bytes of a payload", limit: 16_384) { count in
      SyncFixture.message { $0.events = .stored(SyncRun.encode([SyncFixture.run(payload: count)])) }
    },
    Case(description: "a timestamp's counter", limit: 65_535) { count in
      SyncFixture.message {
        var run = SyncFixture.run()
        run.counters = [UInt32(count)]
        $0.events = .stored(SyncRun.encode([run]))
      }
    },
    Case(description: "a sequence", limit: 1 << 53) { count in
      SyncFixture.message {
        $0.acknowledged = [SyncPoint(prefix: 1, sequence: UInt64(count), suffix: 1)]
      }
    },
    Case(description: "a run's last sequence", limit: (1 << 53) - 1) { count in
      SyncFixture.message {
        var run = SyncFixture.run()
        run.firstSequence = UInt64(count)
        $0.events = .stored(SyncRun.encode([run]))
      }
    },
    Case(description: "the most bytes of a message", limit: 4_194_304) { count in
      SyncFixture.message { $0.limit = count }
    },
    Case(description: "suffixes of a locator at 5", limit: 3) { count in
      SyncFixture.message {
        $0.locators = [
          SyncLocator(replica: .prefix(1), sequence: 5, suffixes: Array(repeating: 1, count: count))
        ]
      }
    },
    Case(description: "bytes of a digest", limit: 16) { count in
      SyncFixture.message {
        $0.vector = nil
        $0.number = 1
        $0.digest = Array(repeating: 1, count: count)
      }
    },
  ]

  @Test("A value at its limit is accepted, and a value above it is malformed", arguments: counts)
  func limit(_ limited: Case) throws {
    #expect(try Self.ask(limited.make(limited.limit)).allSatisfy { $0.code != .malformed })
    #expect(try Self.ask(limited.make(limited.limit + 1)).map(\.code) == [.malformed])
  }

  @Test("A value below its minimum is malformed")
  func least() throws {
    for message in [
      SyncFixture.message { $0.limit = 19_999 },
      SyncFixture.message { $0.acknowledged = [SyncPoint(prefix: 1, sequence: 0, suffix: 1)] },
      SyncFixture.message {
        var run = SyncFixture.run()
        run.firstSequence = 0
        $0.events = .stored(SyncRun.encode([run]))
      },
      SyncFixture.message { $0.events = .stored(SyncRun.encode([SyncFixture.run(count: 0)])) },
    ] {
      #expect(try Self.ask(message).map(\.code) == [.malformed])
    }
    #expect(try Self.ask(SyncFixture.message { $0.limit = 20_000 }).isEmpty)
  }

  @Test(
    "A message at the limit is answered, and a message above it is refused unread",
    arguments: [20_000, 60_000])
  func messageSize(limit: Int) throws {
    let options = SyncOptions(maxMessageBytes: limit)
    let bytes = SyncFixture.message { _ in }.encoded()
    // An unknown field, which is skipped, fills the rest: its tag and length take 5 bytes.
    let count = limit - bytes.count - 5
    let length = [count & 0x7F | 0x80, count >> 7 & 0x7F | 0x80, count >> 14].map { UInt8($0) }
    let full = bytes + [0xBA, 0x3E] + length + Array(repeating: 0, count: count)
    #expect(full.count == limit)
    #expect(try Self.ask(full, options).isEmpty)
    #expect(try Self.ask(full + [0], options).map(\.code) == [.messageTooLarge])
  }

  @Test("A request fits the smallest message limit, however long the histories are")
  func locators() throws {
    let replica = ReplicaID(high: 7 << 32, low: 1)
    let branches = (0..<64).map { index in
      Branch(
        index: BranchIndex(rawValue: UInt32(index)), replica: replica, parent: nil,
        headSequence: SequenceNumber(rawValue: 1 << 52),
        headID: EventID(words: (UInt64(index), 0, 0, UInt64(index))))
    }
    let identity = ReplicaIdentity(replica: replica, predecessor: nil, isAnnounced: true)
    var initiator = SyncInitiator(
      store: SyncFixture.store, log: LogSnapshot(branches: branches, identity: identity),
      options: SyncOptions(maxMessageBytes: 20_000))
    _ = try initiator.handle(.start)
    _ = try initiator.handle(.wanted([]))
    var answer = SyncMessage()
    answer.vector = .init(
      heads: [SyncPoint(prefix: 7, sequence: 1 << 52, suffix: .max)], remaining: 0)
    var actions = try initiator.handle(.message(answer.encoded()))
    while case .identify(let places)? = actions.last {
      actions = try initiator.handle(
        .identified(places.map { EventID(words: ($0.sequence, 0, 0, $0.sequence)) }))
    }
    guard case .send(let bytes)? = actions.last else {
      Issue.record("the initiator sent no message")
      return
    }
    #expect(bytes.count <= 20_000)
    let request = try #require(try SyncMessage(bytes: bytes).request)
    #expect(request.held.count > 10)
    #expect(request.held.first?.suffixes.count == 53)
  }

  // MARK: -

  private static let log = LogSnapshot(
    branches: [],
    identity: ReplicaIdentity(
      replica: ReplicaID(high: 1, low: 1), predecessor: nil, isAnnounced: true))

  private static func ask(_ message: SyncMessage) throws -> [SyncRefusal] {
    try ask(message.encoded(), SyncOptions())
  }

  private static func ask(_ bytes: [UInt8], _ options: SyncOptions) throws -> [SyncRefusal] {
    var responder = SyncResponder(store: SyncFixture.store, log: log, options: options)
    var actions = try responder.handle(.message(bytes))
    if case .findWanted? = actions.last { actions = try responder.handle(.wanted([])) }
    guard case .send(let bytes)? = actions.last else {
      throw SyncError(code: .malformed, message: "no answer")
    }
    return try SyncMessage(bytes: bytes).refusals
  }
}
