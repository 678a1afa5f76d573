internal import CarillonModel
internal import CarillonWire

/// Counts what an initiator does, for its report.
struct SyncTally: Sendable {
  private var report = SyncReport()
  /// What was told of what was left out; the same is told once.
  private var told: Set<String> = []
  /// The branches at the start.
  private let before: Set<BranchIndex>

  /// From how many heads on somebody should look for what forks.
  private static let headsToWarnOf = 64

  var eventsReceived: Int { report.eventsReceived }

  init(branches: [Branch]) {
    before = Set(branches.map(\.index))
  }

  mutating func sent(_ bytes: [UInt8]) {
    report.messages += 1
    report.bytesSent += bytes.count
  }

  mutating func received(_ bytes: [UInt8]) {
    report.messages += 1
    report.bytesReceived += bytes.count
  }

  mutating func received(_ outcomes: [AppendOutcome], missingCount: Int) {
    report.eventsReceived += outcomes.eventCount
    report.missingHere += missingCount
    report.repaired += outcomes.repairedCount
  }

  /// The other side holds so many of the events that were sent.
  ///
  /// - Returns: Whether these are more than before.
  mutating func confirmed(_ count: Int) -> Bool {
    defer { report.eventsSent = max(report.eventsSent, count) }
    return count > report.eventsSent
  }

  /// Both sides hold the same events, and read different states out of them.
  mutating func stateDiffers() {
    report.statesDiffer = true
  }

  /// So many events went as their IDs alone.
  mutating func sentMissing(_ count: Int) {
    report.missingThere += count
  }

  /// An event here cannot be given, nor what is behind it.
  mutating func withheld(_ replica: ReplicaID, sequence: UInt64) {
    report.refused.append(
      "event \(sequence) of replica \(replica) is damaged here and the last that is held, so that "
        + "nothing vouches for its ID: it stays behind")
  }

  mutating func refused(_ text: String) {
    if told.insert(text).inserted { report.refused.append(text) }
  }

  mutating func abandoned(_ prefix: UInt32) {
    refused("nothing more of the replica \(prefix.bigEndianBytes.hexadecimal) in this sync")
  }

  func progress(of peer: Peer, in tree: BranchTree) -> SyncProgress {
    var progress = SyncProgress()
    progress.eventsSent = report.eventsSent
    progress.eventsReceived = report.eventsReceived
    progress.eventsToSend = report.eventsSent + peer.eventsToSend(in: tree)
    progress.eventsToReceive = report.eventsReceived + peer.eventsToReceive(in: tree)
    return progress
  }

  func report(
    roundTrips: Int, in tree: BranchTree, peer: Peer, unrepaired here: [WantedEvent],
    there: [SyncPoint]
  ) -> SyncReport {
    var report = report
    report.roundTrips = roundTrips
    report.headsDiffer = peer.differs(from: tree)
    report.repairedThere = peer.wants.repairedCount
    report.unrepaired = here.map {
      SyncDamage(
        replica: tree[$0.branch].replica, sequence: $0.sequence.rawValue, isRemote: false)
    }
    report.unrepaired += there.compactMap { point in
      tree.places(of: .prefix(point.prefix), at: point.sequence).first.map {
        SyncDamage(
          replica: tree[$0.branch].replica, sequence: point.sequence, isRemote: true)
      }
    }
    report.forks = forks(in: tree)
    if !report.forks.isEmpty {
      report.method = .fork
    } else if report.messages > 2 || report.eventsSent + report.eventsReceived > 0
      || !report.isComplete
    {
      report.method = .vector
    }
    if tree.openCount > Self.headsToWarnOf {
      report.warnings.append(
        "\(tree.openCount) heads: something copies a store again and again; sync ends at "
          + "\(SyncMessage.maxHeads), and those of replicas that write no more can be closed")
    }
    return report
  }

  /// Replicas that have more than one head, and have one more than before.
  private func forks(in tree: BranchTree) -> [SyncFork] {
    let byReplica = Dictionary(grouping: tree.branches, by: \.replica)
    let found = byReplica.compactMap { replica, branches -> SyncFork? in
      let first = branches.map(\.index).min()
      let new = branches.filter { $0.index != first && !before.contains($0.index) }
      guard let sequence = new.map(\.firstSequence.rawValue).min() else { return nil }
      return SyncFork(
        replica: replica, sequence: sequence, heads: branches.map(\.headID).sorted())
    }
    return found.sorted { $0.replica < $1.replica }
  }
}
