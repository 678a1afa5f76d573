internal import CarillonWire

/// The messages of an initiator that are not answered yet.
struct Flight: Sendable {
  /// One message.
  struct Question: Sendable {
    let bytes: [UInt8]
    /// The runs it carries.
    let runs: [OutgoingRun.Summary]
    /// The heads it asks for.
    let targets: [SyncPoint]
    /// From which place on it asks for the vector; nil where it does not.
    let vectorFrom: Int?
    /// The events that it wants once more.
    let wanted: [SyncPoint]
    /// Whether it asks for what the other side wants once more.
    let asksForWanted: Bool
    /// How many answers had to come, one after the other, before it could be sent; and itself.
    let depth: Int

    /// Whether the answer says what the other side wants once more.
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
  /// Whether heads are being asked for.
  var hasTargets: Bool { questions.values.contains { !$0.targets.isEmpty } }
  /// Whether the vector is being asked for.
  var hasVectorRequest: Bool { questions.values.contains { $0.vectorFrom != nil } }
  /// Whether what the other side wants is being asked for.
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
      wanted: message.wanted, asksForWanted: message.wantedFrom > 0, depth: depth + 1)
    nextNumber += 1
  }

  /// Begins anew, after one more round trip: the next message is a hello again.
  mutating func restart() {
    depth += 1
    questions = [:]
    nextNumber = 0
  }

  /// The message that an answer is to, or nil for an answer that is late or repeated.
  mutating func answer(_ number: UInt32) -> Question? {
    guard let question = questions.removeValue(forKey: number) else { return nil }
    depth = max(depth, question.depth)
    return question
  }

  /// Everything not answered, in order.
  var unanswered: [[UInt8]] { questions.sorted { $0.key < $1.key }.map(\.value.bytes) }
}

extension OutgoingRun {
  /// What an initiator remembers of a run that it sent.
  struct Summary: Sendable {
    let place: Place
    let firstSequence: UInt64
    /// What the other side acknowledges.
    let end: SyncPoint
    /// Whether the other side wanted it once more; else it is news.
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
