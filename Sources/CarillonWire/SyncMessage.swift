package import CarillonModel

/// One message of sync, as its bytes say; `protocol/SYNC.md` says what it means.
package struct SyncMessage: Hashable, Sendable {
  /// The initiator's count, from 0; an answer repeats it.
  package var number: UInt32 = 0
  /// 0 in answers.
  package var version: UInt32 = 0
  /// The first 8 bytes of the `StoreID`; 0 in answers.
  package var store: UInt64 = 0
  /// The most bytes that the sender takes in one message.
  package var limit = Self.defaultLimit
  /// All heads of the sender, or a part of them.
  package var vector: Vector?
  /// 16 bytes, or none.
  package var digest: [UInt8] = []
  /// From which place on the initiator asks for the responder's vector; 0 where it does not.
  package var vectorFrom = 0
  /// Ends of runs that the sender holds durably.
  package var acknowledged: [SyncPoint] = []
  package var request: Request?
  package var locators: [SyncLocator] = []
  package var events: Events = .none
  package var refusals: [SyncRefusal] = []
  /// The initiator asks the responder to compute its IDs anew.
  package var audit = false
  /// Events that the sender wants once more; a suffix of 0 stands for every event at the place.
  package var wanted: [SyncPoint] = []
  /// How many more events the responder wants than it names.
  package var wantedRemaining = 0
  /// From which place on the initiator asks for what the responder wants; 0 where it does not.
  package var wantedFrom = 0
  /// What the sender's state digest begins with; nil where it is not compared.
  package var state: StatePrefix?
  /// Answers a hello where both logs are equal: the first 4 bytes of the responder's digest.
  package var equal: [UInt8] = []

  package init() {}

  /// What is judged before the rest is read: it has the same form in every version.
  package struct Envelope: Hashable, Sendable {
    package let number: UInt32
    package let version: UInt32
    package let store: UInt64
  }

  /// Whether an initiator begins with it, whatever its number.
  package var isHello: Bool { vector != nil || !digest.isEmpty }

  /// Heads of the sender.
  package struct Vector: Hashable, Sendable {
    package var heads: [SyncPoint]
    /// How many are still to come.
    package var remaining: Int

    package init(heads: [SyncPoint], remaining: Int = 0) {
      self.heads = heads
      self.remaining = remaining
    }
  }

  /// What an initiator asks for.
  package struct Request: Hashable, Sendable {
    /// Heads of the responder that the initiator lacks.
    package var targets: [SyncPoint]
    /// What the initiator holds on the way to them.
    package var held: [SyncLocator]

    package init(targets: [SyncPoint], held: [SyncLocator]) {
      self.targets = targets
      self.held = held
    }
  }

  /// The encoded runs of a message (see ``SyncRun``).
  package enum Events: Hashable, Sendable {
    case none
    case stored([UInt8])
    case deflated([UInt8])
  }

  /// What a state digest begins with.
  package struct StatePrefix: Hashable, Sendable {
    /// Digests of different versions are not to be compared.
    package let version: UInt32
    /// 16 bytes.
    package let bytes: [UInt8]

    package init(_ digest: StateDigest) {
      self.init(version: StateDigest.version, bytes: Array(digest.bytes.prefix(16)))
    }

    init(version: UInt32, bytes: [UInt8]) {
      self.version = version
      self.bytes = bytes
    }

    /// Whether the two are of one version, and of different states.
    package func differs(from other: StatePrefix) -> Bool {
      version == other.version && bytes != other.bytes
    }
  }

  /// The versions of the protocol that this build speaks.
  package static let versions: ClosedRange<UInt32> = 1...1
  /// The limit that goes without saying: any link can carry it.
  package static let defaultLimit = 60_000
  /// What a limit may be.
  ///
  /// An event with the largest payload fits the least of them.
  package static let limits = 20_000...4_194_304
  /// The most heads that a vector may hold.
  package static let maxHeads = VersionVector.maxHeads
  /// The most runs in one message, so that its acknowledgements fit any answer.
  package static let maxRuns = 256
  /// The most events in one message, all its runs together: what a receiver makes of a few bytes
  /// each is bounded by it.
  package static let maxEvents = 65_536
  /// The most events that one message wants.
  package static let maxWanted = 64
  /// The greatest sequence that is accepted: far beyond any history, and safe to add to.
  package static let maxSequence: UInt64 = 1 << 53
}

/// A place of a replica's history as it travels: enough to recognise it, not to prove it.
package struct SyncPoint: Hashable, Sendable {
  /// The first 4 bytes of the `ReplicaID`.
  package var prefix: UInt32
  /// 1 to ``SyncMessage/maxSequence``.
  package var sequence: UInt64
  /// The last 8 bytes of the event's ID: the first are its time, which clones share.
  package var suffix: UInt64

  package init(prefix: UInt32, sequence: UInt64, suffix: UInt64) {
    self.prefix = prefix
    self.sequence = sequence
    self.suffix = suffix
  }

  package init(_ head: Head) {
    self.init(
      prefix: head.replica.prefix, sequence: head.sequence.rawValue, suffix: head.id.suffix)
  }
}

/// Whose events: by the first 4 bytes of the `ReplicaID`, or by all of it.
package enum ReplicaReference: Hashable, Sendable {
  case prefix(UInt32)
  case full(ReplicaID)

  /// The first 4 bytes.
  package var prefix: UInt32 {
    switch self {
    case .prefix(let prefix): prefix
    case .full(let replica): replica.prefix
    }
  }

  /// Whether this may mean `replica`.
  package func matches(_ replica: ReplicaID) -> Bool {
    switch self {
    case .prefix(let prefix): prefix == replica.prefix
    case .full(let full): full == replica
    }
  }
}

/// IDs held on one line of a replica's history: at a sequence, and 1, 3, 7, 15 and so on before it.
package struct SyncLocator: Hashable, Sendable {
  package var replica: ReplicaReference
  /// 0 where nothing is held.
  package var sequence: UInt64
  /// The last 8 bytes of each ID.
  package var suffixes: [UInt64]

  package init(replica: ReplicaReference, sequence: UInt64, suffixes: [UInt64]) {
    self.replica = replica
    self.sequence = sequence
    self.suffixes = suffixes
  }

  /// As many of the locators as one message has room for, the last of them with fewer suffixes:
  /// what is left out is sent in vain at most.
  package static func fitting(_ locators: [SyncLocator]) -> [SyncLocator] {
    var left = maxTotalBytes
    var kept: [SyncLocator] = []
    for locator in locators.prefix(maxCount) {
      left -= maxOverhead
      let suffixCount = min(locator.suffixes.count, left / 8)
      guard left >= 0, suffixCount > 0 || locator.suffixes.isEmpty else { break }
      kept.append(locator)
      kept[kept.count - 1].suffixes.removeLast(locator.suffixes.count - suffixCount)
      left -= 8 * suffixCount
    }
    return kept
  }

  /// What all locators of a message may take, so that the rest fits beside them at the least limit.
  private static let maxTotalBytes = 8_000
  /// An upper bound of what a locator takes beside its suffixes.
  private static let maxOverhead = 36

  /// Where the suffixes stand; at most one for each bit of a sequence.
  package var sequences: [UInt64] { Array(Self.sequences(from: sequence).prefix(suffixes.count)) }

  /// The places of a locator: `sequence`, and 1, 3, 7, 15 and so on before it, down to 1.
  package static func sequences(from sequence: UInt64) -> [UInt64] {
    var places: [UInt64] = []
    var distance: UInt64 = 0
    while distance < sequence {
      places.append(sequence - distance)
      distance = distance * 2 + 1
    }
    return places
  }
}

/// Why something was not done, with its numbers.
package struct SyncRefusal: Hashable, Sendable {
  /// What kind; numbers of the protocol.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
      self.rawValue = rawValue
    }

    package static let otherStore = Code(rawValue: 1)
    package static let version = Code(rawValue: 2)
    package static let messageTooLarge = Code(rawValue: 3)
    package static let tooManyHeads = Code(rawValue: 4)
    package static let corruptRun = Code(rawValue: 5)
    package static let clock = Code(rawValue: 6)
    package static let retryAfter = Code(rawValue: 7)
    package static let malformed = Code(rawValue: 8)
    package static let notInvited = Code(rawValue: 9)
    package static let revoked = Code(rawValue: 10)
    package static let headsFull = Code(rawValue: 11)
    package static let ownReplica = Code(rawValue: 12)

    /// Whether it is about one run, and the session goes on.
    package var isAboutRun: Bool {
      [.corruptRun, .clock, .headsFull, .ownReplica].contains(self)
    }
  }

  package var code: Code
  /// The index of the run in its message.
  package var run: Int
  package var number: UInt64
  package var limit: UInt64
  /// For people.
  package var text: String

  package init(code: Code, run: Int = 0, number: UInt64 = 0, limit: UInt64 = 0, text: String) {
    self.code = code
    self.run = run
    self.number = number
    self.limit = limit
    self.text = text
  }
}

extension Identifier {
  /// The first 4 bytes, by which sync names a replica.
  package var prefix: UInt32 { UInt32(high >> 32) }
}
