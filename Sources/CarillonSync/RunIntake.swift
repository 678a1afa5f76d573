internal import CarillonModel
internal import CarillonWire

/// The verified runs of one message.
///
/// Verifying computes each event's ID from the previous one and compares the last with the suffix
/// that the run names.
struct RunIntake: Sendable {
  /// Runs whose events hash to the ID suffix they name, in order.
  private(set) var runs: [EventRun] = []
  /// The ends of these runs.
  private(set) var ends: [SyncPoint] = []
  /// The replicas of runs that were dropped because the event before them is not held.
  private(set) var dropped: [ReplicaReference] = []
  /// The heads closed by events that the log did not accept or already held: it may lack those
  /// heads.
  private(set) var closed: [Head] = []
  /// The refusals of runs that break a rule.
  private(set) var refusals: [SyncRefusal] = []
  /// The indices of the accepted runs in their message.
  private var indices: [Int] = []
  /// The IDs of the accepted runs, so that later runs of the message can follow them.
  private var computed: [[EventID]] = []

  init() {}

  /// The replica of a run and the ID before its first event.
  typealias Previous = (replica: ReplicaID, id: EventID)

  /// Returns what the log holds before each run; nil if it does not hold that event.
  static func previous(
    of runs: [SyncRun], in tree: BranchTree, lookup: inout IDLookup
  ) -> [Previous?] {
    runs.map { run in
      if run.firstSequence == 1 {
        guard case .full(let replica) = run.replica else { return nil }
        return (replica, EventChain.root(of: replica))
      }
      let place = lookup.place(
        of: run.replica, at: run.firstSequence - 1, suffix: run.previousSuffix, in: tree)
      guard let place, let id = lookup.id(at: place, in: tree) else { return nil }
      return (tree[place.branch].replica, id)
    }
  }

  /// Returns the indices of a replica's runs whose last event the log does not hold.
  static func unheld(
    _ runs: [SyncRun], of replica: ReplicaID?, in tree: BranchTree, lookup: inout IDLookup
  ) -> Set<Int> {
    guard let replica else { return [] }
    return Set(
      runs.indices.filter { index in
        let run = runs[index]
        return run.replica.matches(replica)
          && lookup.place(
            of: .full(replica), at: run.lastSequence, suffix: run.lastSuffix, in: tree) == nil
      })
  }

  /// Verifies runs against what the log holds before each.
  ///
  /// - Parameter ownReplica: A ReplicaID that this log took during this sync, and the indices of
  ///   the runs that bring unknown events of it. These are refused; otherwise each would make the
  ///   log take another ReplicaID.
  init(
    _ runs: [SyncRun], previous: [Previous?],
    ownReplica: (id: ReplicaID?, unheld: Set<Int>) = (nil, [])
  ) {
    for (index, run) in runs.enumerated() {
      // IDs computed from an earlier run of the message take precedence over held ones, which may
      // be damaged.
      if let previous = computedPrevious(of: run) ?? previous[index] {
        if previous.replica == ownReplica.id, ownReplica.unheld.contains(index) {
          refuse(run, of: previous.replica, index: index)
        } else {
          verify(run, index: index, previous: previous)
        }
      } else {
        dropped.append(run.replica)
      }
    }
  }

  /// Returns the ID before a run, if it lies in an earlier run of the message.
  private func computedPrevious(of run: SyncRun) -> Previous? {
    for (earlier, ids) in zip(runs, computed) where run.replica.matches(earlier.replica) {
      let first = earlier.firstSequence.rawValue
      guard run.firstSequence > first, run.firstSequence - first <= ids.count else { continue }
      let id = ids[Int(run.firstSequence - first) - 1]
      if id.suffix == run.previousSuffix { return (earlier.replica, id) }
    }
    return nil
  }

  /// Whether any event closes branches.
  var closesBranches: Bool { runs.contains { !$0.closed.isEmpty } }

  /// Returns the number of new events whose ID alone was received.
  func missingCount(_ outcomes: [AppendOutcome]) -> Int {
    zip(runs, outcomes).reduce(0) { sum, run in
      guard case .appended(_, let held) = run.1 else { return sum }
      return sum + run.0.items[held...].count { $0.missingID != nil }
    }
  }

  /// Returns the ends of the runs by which the log repaired an event.
  func repaired(_ outcomes: [AppendOutcome]) -> [SyncPoint] {
    zip(ends, outcomes).filter { $0.1.repairedCount > 0 }.map(\.0)
  }

  /// Returns the ends of the runs whose events the log already holds in the same form.
  func held(_ outcomes: [AppendOutcome]) -> [SyncPoint] {
    zip(ends, outcomes).compactMap { end, outcome in
      if case .duplicate = outcome { end } else { nil }
    }
  }

  /// Whether an event arrived in one of the runs.
  func brings(_ point: SyncPoint) -> Bool {
    zip(runs, computed).contains { run, ids in
      let first = run.firstSequence.rawValue
      guard run.replica.prefix == point.prefix, point.sequence >= first,
        point.sequence - first < ids.count
      else { return false }
      return ids[Int(point.sequence - first)].suffix == point.suffix
    }
  }

  /// Returns the runs that the log accepted.
  ///
  /// A run with a gap before it counts as dropped. A run that would have opened a branch beyond the
  /// limit counts as refused.
  func accepted(_ outcomes: [AppendOutcome]) -> RunIntake {
    precondition(outcomes.count == runs.count, "each run needs an outcome")
    var accepted = RunIntake()
    accepted.dropped = dropped
    accepted.refusals = refusals
    for (index, outcome) in outcomes.enumerated() {
      switch outcome {
      case .gap:
        accepted.dropped.append(.full(runs[index].replica))
        accepted.closed += runs[index].closed
      case .headsFull: accepted.refusals.append(Self.headsFull(runs[index], indices[index]))
      case .appended, .duplicate:
        if case .duplicate = outcome { accepted.closed += runs[index].closed }
        accepted.runs.append(runs[index])
        accepted.ends.append(ends[index])
        accepted.computed.append(computed[index])
      }
    }
    return accepted
  }

  private mutating func verify(_ run: SyncRun, index: Int, previous: Previous) {
    switch EventRun.verifying(run, of: previous.replica, after: previous.id) {
    case .intact(let verified, let ids):
      computed.append(ids)
      indices.append(index)
      ends.append(
        SyncPoint(
          prefix: previous.replica.prefix, sequence: run.lastSequence, suffix: run.lastSuffix))
      runs.append(verified)
    case .wrongTimestamp(let place): refuse(run, index: index, at: place)
    case .otherID: refuse(run, index: index)
    }
  }

  private mutating func refuse(_ run: SyncRun, index: Int, at place: Int) {
    let sequence = run.firstSequence + UInt64(place)
    refusals.append(
      SyncRefusal(
        code: .clock, run: index, number: sequence,
        text: "run \(index): the timestamp of sequence \(sequence) is not above the previous one, "
          + "or has its top bit set"))
  }

  private static func headsFull(_ run: EventRun, _ index: Int) -> SyncRefusal {
    let limit = UInt64(VersionVector.maxTakenHeads)
    return SyncRefusal(
      code: .headsFull, run: index, number: limit, limit: limit,
      text: "another history of \(run.replica) was left out: the log has \(limit) heads, "
        + "the maximum for received events")
  }

  private mutating func refuse(_ run: SyncRun, of replica: ReplicaID, index: Int) {
    refusals.append(
      SyncRefusal(
        code: .ownReplica, run: index, number: run.firstSequence,
        text: "run \(index): events of \(replica), a ReplicaID that was taken in this sync, "
          + "so that no other replica can have used it"))
  }

  private mutating func refuse(_ run: SyncRun, index: Int) {
    refusals.append(
      SyncRefusal(
        code: .corruptRun, run: index, number: run.firstSequence,
        text: "run \(index): sequences \(run.firstSequence) to \(run.lastSequence) do not hash "
          + "to the named ID"))
  }
}

extension EventRun {
  /// The heads that the run's events close.
  fileprivate var closed: [Head] { items.flatMap { $0.closing?.heads ?? [] } }
}

extension AppendOutcome {
  /// The number of events that were repaired.
  var repairedCount: Int {
    guard case .duplicate(let repaired) = self else { return 0 }
    return repaired
  }
}

extension [AppendOutcome] {
  /// The number of held events that were repaired.
  var repairedCount: Int { reduce(0) { $0 + $1.repairedCount } }

  /// The number of events that were new.
  var eventCount: Int {
    reduce(0) { sum, outcome in
      guard case .appended(let positions, _) = outcome else { return sum }
      return sum + Int(positions.upperBound.rawValue - positions.lowerBound.rawValue) + 1
    }
  }
}
