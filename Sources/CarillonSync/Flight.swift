internal import CarillonWire

/// The messages of an initiator that are not answered yet.
struct Flight: Sendable {
  /// A message in flight.
  struct Question: Sendable {
    let bytes: [UInt8]
    /// The runs it carries.
    let runs: [OutgoingRun.Summary]
    /// The heads it asks for.
    let targets: [SyncPoint]
    /// The index from which the message requests the vector; nil if it does not request it.
    let vectorFrom: Int?
    /// The events that the message requests for repair.
    let wanted: [SyncPoint]
    /// Whether the message requests more of the events that the peer wants.
    let asksForWanted: Bool
    /// Whether the answer must not use a dictionary.
    let excludesDictionary: Bool
    /// The number of consecutive round trips up to and including this message.
    let depth: Int

    /// Whether the answer to this message lists the events that the peer wants.
    var namesWanted: Bool { vectorFrom == 0 || asksForWanted }
  }

  private var questions: [UInt32: Question] = [:]
  private var nextNumber: UInt32 = 0
  /// The greatest depth of an answered message.
  private(set) var depth = 0

  var isEmpty: Bool { questions.isEmpty }
  var count: Int { questions.count }
  /// Whether the hello is not answered yet.
  var hasHello: Bool { questions[0] != nil }
  /// Whether a message in flight requests heads.
  var hasTargets: Bool { questions.values.contains { !$0.targets.isEmpty } }
  /// Whether a message in flight requests the vector.
  var hasVectorRequest: Bool { questions.values.contains { $0.vectorFrom != nil } }
  /// Whether a message in flight requests more of the events that the peer wants.
  var asksForWanted: Bool { questions.values.contains { $0.asksForWanted } }

  /// The number of the next message.
  var number: UInt32 { nextNumber }

  mutating func add(
    _ bytes: [UInt8], saying message: SyncMessage, runs: [OutgoingRun.Summary]
  ) {
    let isHello = nextNumber == 0
    questions[nextNumber] = Question(
      bytes: bytes, runs: runs, targets: message.request?.targets ?? [],
      vectorFrom: isHello || message.vectorFrom > 0 ? message.vectorFrom : nil,
      wanted: message.wanted, asksForWanted: message.wantedFrom > 0,
      excludesDictionary: message.isDictionaryUnknown, depth: depth + 1)
    nextNumber += 1
  }

  /// Starts again after one more round trip: the next message is a hello.
  mutating func restart() {
    depth += 1
    questions = [:]
    nextNumber = 0
  }

  /// Returns the message that an answer belongs to, or nil if the answer is late or repeated.
  mutating func answer(_ number: UInt32) -> Question? {
    guard let question = questions.removeValue(forKey: number) else { return nil }
    depth = max(depth, question.depth)
    return question
  }

  /// All unanswered messages, by ascending number.
  var unanswered: [[UInt8]] { questions.sorted { $0.key < $1.key }.map(\.value.bytes) }
}

extension OutgoingRun {
  /// The facts that an initiator remembers about a run it sent.
  struct Summary: Sendable {
    let place: Place
    let firstSequence: UInt64
    /// The point that the peer acknowledges.
    let end: SyncPoint
    /// Whether the peer wanted the event for repair; otherwise the run holds new events.
    let isWanted: Bool
    /// Whether each of its events has its payload.
    let hasPayload: Bool
  }

  func summary(isWanted: Bool) -> Summary {
    Summary(
      place: Place(branch: branch, sequence: run.lastSequence), firstSequence: run.firstSequence,
      end: run.end, isWanted: isWanted, hasPayload: run.redacted.isEmpty && run.missing.isEmpty)
  }
}
