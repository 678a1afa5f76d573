internal import CarillonModel
internal import Dispatch
internal import Synchronization

/// The calls that wait for the writer, and the predicted end of the own branch that their events
/// follow.
///
/// Own events follow one another, so callers can compute their IDs before the preceding events are
/// committed, while the writer waits for the disk. The writer checks what the IDs follow, and
/// computes them again if another process, a run or a failed commit came in between.
final class WriteQueue: Sendable {
  /// Guards the prediction while IDs are computed and the call is queued.
  ///
  /// Acquired before `waiting`, and by the writer only if a prediction failed.
  private let prediction = Mutex<ChainBase?>(nil)
  /// The turn of the caller with many events, whose IDs take long to compute.
  ///
  /// A thread that waits for a mutex spins while the owner runs, on a processor that the writer
  /// could use.
  private let turn = DispatchSemaphore(value: 1)
  /// Guards the queue itself, only for short operations.
  private let waiting = Mutex(Waiting())

  /// The number of events from which it costs less to sleep than to spin.
  private static let minLongCount = 64

  private struct Waiting {
    var jobs: [WriteJob] = []
    var isBeingDrained = false
    /// Whether the prediction must be made again from the committed state.
    var isPredictionLost = true
  }

  /// The number of waiting calls.
  var count: Int { waiting.withLock(\.jobs.count) }

  /// Queues a call.
  ///
  /// - Returns: True if no thread is draining the queue; the caller must then start to drain it.
  func add(_ job: WriteJob) -> Bool {
    let takesTurn = job.eventCount >= Self.minLongCount
    if takesTurn { turn.wait() }
    defer { if takesTurn { turn.signal() } }
    return prediction.withLock { base in
      var job = job
      if let record = job.predictable {
        job.request = .record(record, Self.prepare(record, &base))
      } else {
        base = nil
      }
      return enqueue(job, isPredictionLost: base == nil)
    }
  }

  /// Takes as many calls as fit into a limit of events, but at least one; nil ends the draining.
  ///
  /// A call that decides in the transaction is taken alone, because it reads the committed state
  /// and must see the calls before it.
  func take(maxEventCount: Int) -> [WriteJob]? {
    waiting.withLock { waiting in
      var eventCount = 0
      var isAlone = false
      let end = waiting.jobs.firstIndex { job in
        defer {
          eventCount += job.eventCount
          isAlone = job.decides
        }
        return eventCount > 0
          && (isAlone || job.decides || eventCount + job.eventCount > maxEventCount)
      }
      let group = Array(waiting.jobs[..<(end ?? waiting.jobs.count)])
      waiting.jobs.removeFirst(group.count)
      waiting.isBeingDrained = !group.isEmpty
      return group.isEmpty ? nil : group
    }
  }

  /// Whether a call that cannot be predicted has made the prediction invalid.
  var isPredictionLost: Bool { waiting.withLock(\.isPredictionLost) }

  /// Predicts from the committed state, for the waiting calls and later ones.
  func predict(from state: LogState) {
    prediction.withLock { base in
      waiting.withLock { waiting in
        base = state.mustAnnounce || state.mustLeaveBranch ? nil : state.chainBase
        for index in waiting.jobs.indices {
          guard let record = waiting.jobs[index].predictable else {
            base = nil
            break
          }
          waiting.jobs[index].request = .record(record, Self.prepare(record, &base))
        }
        waiting.isPredictionLost = base == nil
      }
    }
  }

  // MARK: -

  /// Prepares the IDs of a call.
  ///
  /// Returns nil, leaving the call to the writer, if the clock will cause an error or there is no
  /// prediction.
  private static func prepare(_ record: RecordRequest, _ base: inout ChainBase?) -> PreparedIDs? {
    guard var next = base, next.last.map({ !$0.isBeyondClocks }) ?? true,
      case .success(let ids) = Result(catching: { () throws(ModelError) in
        try next.extend(by: record.events, wallClock: record.wallClock)
      })
    else {
      base = nil
      return nil
    }
    defer { base = next }
    return base.map { PreparedIDs(base: $0, ids: ids) }
  }

  private func enqueue(_ job: WriteJob, isPredictionLost: Bool) -> Bool {
    waiting.withLock { waiting in
      waiting.jobs.append(job)
      waiting.isPredictionLost = isPredictionLost
      defer { waiting.isBeingDrained = true }
      return !waiting.isBeingDrained
    }
  }
}
