package import CarillonModel
internal import Dispatch
internal import Synchronization

/// What a check of the events in a range of positions found.
package struct CheckedEvents: Sendable {
  var problems: [LogProblem] = []
  /// The events whose content is missing.
  ///
  /// This is not damage of the log, and does not hide any.
  var missing: [LogProblem] = []
  /// The first position of the range.
  var first: UInt64 = 1
  /// By branch: the last event of the range.
  var heads: [EventHead?] = []
  /// By branch: its first event, if the event before it is in an earlier range.
  var links: [Int: EventLink] = [:]
  /// The number of events that close branches.
  var closingCount = 0

  /// The number of events from which a log is checked on two threads.
  private static let minCount: UInt64 = 1_000

  mutating func add(_ state: EventLink.State, of link: EventLink, _ maxCount: Int) {
    switch state {
    case .intact: break
    case .missing where missing.count < maxCount:
      missing.append(link.problem(.missingContent, "the content of the event is missing"))
    case .damaged where problems.count < maxCount:
      problems.append(
        link.problem(.damage, "the content of an event does not hash to its ID"))
    case .missing, .damaged: break
    }
  }

  /// Checks the first half of a log's positions on another thread, and the second half on this one.
  ///
  /// - Parameters:
  ///   - last: The last position.
  ///   - half: Checks a range, with a view of its own.
  ///   - rest: Checks the events from a position on, and joins them with the first range.
  package static func inTwoRanges(
    through last: UInt64,
    _ half: @escaping @Sendable (ClosedRange<UInt64>) throws -> CheckedEvents,
    rest: (_ first: UInt64, _ earlier: () throws -> CheckedEvents?) throws -> [LogProblem]
  ) throws -> [LogProblem] {
    // A thread costs more than it saves on a small log.
    guard last >= minCount else { return try rest(1) { nil } }
    let middle = last / 2
    let group = DispatchGroup()
    let outcome = HalfOutcome()
    DispatchQueue.global().async(group: group) {
      let found = Result { try half(1...middle) }
      outcome.result.withLock { $0 = found }
    }
    // The view of the other thread must not outlive this call.
    defer { group.wait() }
    return try rest(middle + 1) {
      group.wait()
      return try outcome.result.withLock { try $0?.get() }
    }
  }
}

/// The result of the other thread.
private final class HalfOutcome: Sendable {
  let result = Mutex<Result<CheckedEvents, any Error>?>(nil)
}

/// The last event of a branch that was checked.
struct EventHead: Sendable {
  let sequence: UInt64
  let id: EventID
}

/// The parts of an event that its ID follows from, except the event before it.
struct EventLink: Sendable {
  let position: LogPosition
  let replica: ReplicaID
  let sequence: UInt64
  let id: EventID
  let digest: PayloadDigest
  let isMissing: Bool

  /// Whether an event is what was written.
  enum State {
    case intact, missing, damaged
  }

  init(_ event: RawEvent) {
    position = event.position
    replica = event.replica
    sequence = event.sequence.rawValue
    id = event.id
    digest = event.digest
    isMissing = event.isMissing
  }

  /// Compares the ID with the one that follows from the content and the previous event.
  func state(after previous: EventID) -> State {
    let expected = EventChain.id(
      sequence: SequenceNumber(rawValue: sequence), timestamp: id.timestamp, previous: previous,
      payload: digest)
    if expected == id { return .intact }
    return isMissing ? .missing : .damaged
  }

  func problem(_ kind: LogProblem.Kind, _ message: String) -> LogProblem {
    var problem = LogProblem(kind, at: position, message)
    (problem.replica, problem.sequence) = (replica, SequenceNumber(rawValue: sequence))
    return problem
  }
}
