internal import CarillonModel
internal import CarillonWire

/// The counters of an initiator, from which it makes its report.
struct SyncTally: Sendable {
  private var report = SyncReport()
  /// The refusals reported so far; each text is reported once.
  private var reported: Set<String> = []
  /// The branches at the start.
  private let before: Set<BranchIndex>

  /// The number of heads above which the report warns of repeated forks.
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

  /// Records how many of the sent events the peer holds.
  ///
  /// - Returns: Whether the number has grown.
  mutating func confirmed(_ count: Int) -> Bool {
    defer { report.eventsSent = max(report.eventsSent, count) }
    return count > report.eventsSent
  }

  /// Records that both sides hold the same events but derive different states.
  mutating func stateDiffers() {
    report.statesDiffer = true
  }

  /// Records the number of events that were sent as their IDs alone.
  mutating func sentMissing(_ count: Int) {
    report.missingThere += count
  }

  /// Records that an event and its successors cannot be sent.
  mutating func withheld(_ replica: ReplicaID, sequence: UInt64) {
    report.refused.append(
      "event \(sequence) of replica \(replica) is damaged here and is the last one held, "
        + "so that no later event confirms its ID: it was not sent")
  }

  mutating func refused(_ text: String) {
    if reported.insert(text).inserted { report.refused.append(text) }
  }

  mutating func abandoned(_ prefix: UInt32) {
    refused("no more events of replica \(prefix.bigEndianBytes.hexadecimal) in this sync")
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
        "\(tree.openCount) heads: a store is copied or restored repeatedly; sync fails above "
          + "\(SyncMessage.maxHeads); close the heads of replicas that no longer write")
    }
    return report
  }

  /// Returns the replicas that have several heads and gained one in this sync.
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
