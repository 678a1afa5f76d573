internal import CarillonWire

/// The messages of a leader that are not answered yet.
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
    /// How many answers had to come, one after the other, before it could be sent; and itself.
    let depth: Int
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

  /// The number of the next message.
  var number: UInt32 { nextNumber }

  mutating func add(
    _ bytes: [UInt8], runs: [OutgoingRun], targets: [SyncPoint], vectorFrom: Int?
  ) {
    questions[nextNumber] = Question(
      bytes: bytes, runs: runs.map(\.summary), targets: targets, vectorFrom: vectorFrom,
      depth: depth + 1)
    nextNumber += 1
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
  /// What a leader remembers of a run that it sent.
  struct Summary: Sendable {
    let place: Place
    let firstSequence: UInt64
    /// What the other side acknowledges.
    let end: SyncPoint
  }

  var summary: Summary {
    Summary(
      place: Place(branch: branch, sequence: run.lastSequence), firstSequence: run.firstSequence,
      end: run.end)
  }
}
