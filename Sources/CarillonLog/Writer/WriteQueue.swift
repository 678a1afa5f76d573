internal import CarillonModel
internal import Synchronization

/// The calls that wait for the writer, and what their IDs are expected to follow.
///
/// Own events follow one another, so their IDs can be computed before the events ahead of them are
/// committed: by the callers, while the writer waits for the disk. The writer checks what they
/// followed, and makes them anew where another process, a run or a failed commit came in between.
final class WriteQueue: Sendable {
  /// Guards the prediction while IDs are computed and the call is queued behind it.
  ///
  /// Taken before `waiting`, and by the writer only where a prediction failed.
  private let prediction = Mutex<ChainBase?>(nil)
  /// Guards the queue itself, for moments only.
  private let waiting = Mutex(Waiting())

  private struct Waiting {
    var jobs: [WriteJob] = []
    var isBeingDrained = false
    /// Whether the prediction has to be made anew from what is committed.
    var isPredictionLost = true
  }

  /// How many calls wait.
  var count: Int { waiting.withLock(\.jobs.count) }

  /// Queues a call; true where nobody drains the queue, which the caller must then see to.
  func add(_ job: WriteJob) -> Bool {
    prediction.withLock { base in
      var job = job
      if case .record(let record, _) = job.request {
        job.request = .record(record, Self.prepare(record, &base))
      } else {
        base = nil
      }
      return enqueue(job, isPredictionLost: base == nil)
    }
  }

  /// Takes as many calls as come to a limit of events, at least one; nil ends the draining.
  ///
  /// A call that decides is taken alone: it reads what is committed, and has to see those before.
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

  /// Whether the prediction was lost, by calls that cannot be predicted.
  var isPredictionLost: Bool { waiting.withLock(\.isPredictionLost) }

  /// Predicts anew from what is committed, for the calls that wait and those to come.
  func predict(from state: LogState) {
    prediction.withLock { base in
      waiting.withLock { waiting in
        base = state.mustAnnounce || state.mustLeaveBranch ? nil : state.chainBase
        for index in waiting.jobs.indices {
          guard case .record(let record, _) = waiting.jobs[index].request else {
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

  /// A call that will be refused for its clock, or that comes without a prediction, is left to the
  /// writer.
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
