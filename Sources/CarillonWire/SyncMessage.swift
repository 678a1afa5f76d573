package import CarillonModel

/// One sync message, as it is encoded.
///
/// `protocol/SYNC.md` defines the meaning of each field.
package struct SyncMessage: Hashable, Sendable {
  /// The initiator's message count, from 0; an answer repeats it.
  package var number: UInt32 = 0
  /// The protocol version; 0 in answers.
  package var version: UInt32 = 0
  /// The first 8 bytes of the `StoreID`; 0 in answers.
  package var store: UInt64 = 0
  /// The most bytes that the sender accepts in one message.
  package var limit = Self.defaultLimit
  /// The heads of the sender, or a part of them.
  package var vector: Vector?
  /// The first 16 bytes of the sender's digest, or empty.
  package var digest: [UInt8] = []
  /// The index from which the initiator requests the responder's vector; 0 if it does not.
  package var vectorFrom = 0
  /// The ends of runs that the sender holds durably.
  package var acknowledged: [SyncPoint] = []
  package var request: Request?
  package var locators: [SyncLocator] = []
  package var events: Events = .none
  package var refusals: [SyncRefusal] = []
  /// Whether the initiator asks the responder to recompute its event IDs.
  package var audit = false
  /// The events that the sender wants for repair; a suffix of 0 means every event at the place.
  package var wanted: [SyncPoint] = []
  /// How many more events the responder wants than it names.
  package var wantedRemaining = 0
  /// The index from which the initiator requests the responder's wanted events; 0 if it does not.
  package var wantedFrom = 0
  /// The prefix of the sender's state digest; nil if states are not compared.
  package var state: StatePrefix?
  /// The answer to a hello if both logs are equal: the first 4 bytes of the responder's digest.
  package var equal: [UInt8] = []
  /// The dictionary of `events`; nil if they use none.
  package var dictionary: DictionaryReference?
  /// Whether the sender derives another dictionary than the peer, whose events it could not read.
  package var isDictionaryUnknown = false

  package init() {}

  /// The fields that are checked before the rest is decoded.
  ///
  /// They have the same encoding in every version.
  package struct Envelope: Hashable, Sendable {
    package let number: UInt32
    package let version: UInt32
    package let store: UInt64
  }

  /// Whether the message starts a sync, whatever its number.
  package var isHello: Bool { vector != nil || !digest.isEmpty }

  /// The heads of the sender.
  package struct Vector: Hashable, Sendable {
    package var heads: [SyncPoint]
    /// How many heads are still to come.
    package var remaining: Int

    package init(heads: [SyncPoint], remaining: Int = 0) {
      self.heads = heads
      self.remaining = remaining
    }
  }

  /// The events that an initiator requests.
  package struct Request: Hashable, Sendable {
    /// Heads of the responder that the initiator lacks.
    package var targets: [SyncPoint]
    /// What the initiator holds on the way to the targets.
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

  /// A reference to a dictionary: a table of identifiers that both sides derive from the events
  /// they hold.
  package struct DictionaryReference: Hashable, Sendable {
    /// The last of the events.
    package let end: SyncPoint
    /// The check of the table, see ``IdentifierTable/check``.
    package let check: UInt32

    package init(end: SyncPoint, check: UInt32) {
      self.end = end
      self.check = check
    }
  }

  /// The beginning of a state digest.
  package struct StatePrefix: Hashable, Sendable {
    /// The digest version; digests of different versions cannot be compared.
    package let version: UInt32
    /// The first 16 bytes of the digest.
    package let bytes: [UInt8]

    package init(_ digest: StateDigest) {
      self.init(version: StateDigest.version, bytes: Array(digest.bytes.prefix(16)))
    }

    init(version: UInt32, bytes: [UInt8]) {
      self.version = version
      self.bytes = bytes
    }

    /// Whether both have the same version and different digests.
    package func differs(from other: StatePrefix) -> Bool {
      version == other.version && bytes != other.bytes
    }
  }

  /// The protocol versions that this build speaks.
  package static let versions: ClosedRange<UInt32> = 1...2
  /// The first version in which identifiers are sent by number.
  package static let firstShortVersion: UInt32 = 2
  /// The default limit, which any transport can carry.
  package static let defaultLimit = 60_000
  /// The range of message limits.
  ///
  /// An event with the largest payload fits the smallest limit.
  package static let limits = 20_000...4_194_304
  /// The maximum number of heads in a vector.
  package static let maxHeads = VersionVector.maxHeads
  /// The maximum number of runs in a message, chosen so that their acknowledgements fit any answer.
  package static let maxRuns = 256
  /// The maximum number of events in a message, over all its runs.
  ///
  /// It bounds what a receiver makes of events that take only a few bytes each.
  package static let maxEvents = 65_536
  /// The maximum number of wanted events in a message.
  package static let maxWanted = 64
  /// The maximum sequence: far beyond any real history, and safe to add to.
  package static let maxSequence: UInt64 = 1 << 53
}

/// A reference to an event that is short enough to send: it identifies the event but proves
/// nothing.
package struct SyncPoint: Hashable, Sendable {
  /// The first 4 bytes of the `ReplicaID`.
  package var prefix: UInt32
  /// The event's sequence, from 1 to ``SyncMessage/maxSequence``.
  package var sequence: UInt64
  /// The ID suffix: the last 8 bytes of the event's ID.
  ///
  /// The first 8 bytes are its timestamp, which copies share.
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

/// A reference to a replica, by the first 4 bytes of its `ReplicaID` or by all of it.
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

  /// Whether this can refer to `replica`.
  package func matches(_ replica: ReplicaID) -> Bool {
    switch self {
    case .prefix(let prefix): prefix == replica.prefix
    case .full(let full): full == replica
    }
  }
}

/// The IDs held on one line of a replica's history.
///
/// They are the IDs at a sequence and at 1, 3, 7, 15 and so on before it.
package struct SyncLocator: Hashable, Sendable {
  package var replica: ReplicaReference
  /// The first sequence; 0 if nothing is held.
  package var sequence: UInt64
  /// The ID suffixes, one for each sequence.
  package var suffixes: [UInt64]

  package init(replica: ReplicaReference, sequence: UInt64, suffixes: [UInt64]) {
    self.replica = replica
    self.sequence = sequence
    self.suffixes = suffixes
  }

  /// Returns as many of the locators as fit in a message, shortening the last of them if necessary.
  ///
  /// Leaving suffixes out only makes the peer send more events than necessary.
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

  /// The maximum size of all locators in a message, so that the rest fits at the smallest limit.
  private static let maxTotalBytes = 8_000
  /// An upper bound of a locator's size without its suffixes.
  private static let maxOverhead = 36

  /// The sequences of the suffixes: at most one for each bit of `sequence`.
  package var sequences: [UInt64] { Array(Self.sequences(from: sequence).prefix(suffixes.count)) }

  /// Returns the sequences of a locator: `sequence`, and 1, 3, 7, 15 and so on before it, down to
  /// 1.
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

/// The reason why something was refused, with its numbers.
package struct SyncRefusal: Hashable, Sendable {
  /// The kind of refusal, with the numbers of the protocol.
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

    /// Whether the refusal concerns one run, so that the session continues.
    package var isAboutRun: Bool {
      [.corruptRun, .clock, .headsFull, .ownReplica].contains(self)
    }
  }

  package var code: Code
  /// The index of the run in its message.
  package var run: Int
  package var number: UInt64
  package var limit: UInt64
  /// A description for people.
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
  /// The replica prefix: the first 4 bytes, by which sync messages name a replica.
  package var prefix: UInt32 { UInt32(high >> 32) }
}
