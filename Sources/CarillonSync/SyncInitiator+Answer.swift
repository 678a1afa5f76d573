internal import CarillonModel
internal import CarillonWire

extension SyncInitiator {
  /// An answer and the message it answers.
  struct Answer: Sendable {
    let message: SyncMessage
    let runs: [SyncRun]
    let question: Flight.Question
    /// Whether its events could be read.
    let isRead: Bool
  }

  func acknowledge(_ answer: Answer, hasRepaired: Bool, in peer: inout Peer) {
    let acknowledged = Set(answer.message.acknowledged)
    let refused = Dictionary(
      answer.message.refusals.map { ($0.run, $0.code) }, uniquingKeysWith: { one, _ in one })
    for (index, run) in answer.question.runs.enumerated() {
      if run.isWanted {
        peer.wants.answer(
          run, isAcknowledged: acknowledged.contains(run.end), hasRepaired: hasRepaired)
      } else if acknowledged.contains(run.end) {
        peer.hold(run.place, in: tree)
      } else if let code = refused[index] {
        if code == .headsFull {
          peer.refuseBranch(run.place.branch)
        } else {
          peer.abandon(run.end.prefix)
        }
      } else {
        peer.lose(run.place.branch, from: run.firstSequence)
      }
    }
  }

  /// Applies the locators that answer dropped runs of new events.
  ///
  /// Other locators are ignored.
  mutating func relocate(_ answer: Answer, in peer: inout Peer) {
    let sent = Set(answer.question.runs.lazy.filter { !$0.isWanted }.map(\.end.prefix))
    let locators = answer.message.locators.filter { sent.contains($0.replica.prefix) }
    for (replica, locators) in Dictionary(grouping: locators, by: \.replica) {
      peer.relocate(replica, locators: locators, in: tree, lookup: &lookup)
    }
  }
}

extension SyncInitiator.Answer {
  /// Whether an event that the peer wanted was accepted there.
  var hasRepairedThere: Bool {
    let acknowledged = Set(message.acknowledged)
    return question.runs.contains { $0.isWanted && acknowledged.contains($0.end) }
  }

  /// Whether the answer brings requested events, but neither a head nor a quarter of a message.
  func isSparse(limit: Int) -> Bool {
    guard !question.targets.isEmpty, !runs.isEmpty,
      !question.targets.contains(where: { target in runs.contains { $0.end == target } })
    else { return false }
    let size = runs.reduce(0) { sum, run in
      run.lengths.reduce(sum) { $0 + SyncRun.maxBytes(ofPayload: Int($1)) }
    }
    return size < limit / 4 && runs.count < SyncMessage.maxRuns / 2
  }

  /// The runs refused here, except events requested for repair: those are damaged there too.
  func refusals(in intake: RunIntake) -> [SyncRefusal] {
    intake.refusals.filter { !OwnWants.isAnswer(runs[$0.run], to: question.wanted) }
  }

  /// The runs refused there, except events sent for repair: those are damaged here too.
  var refusals: [SyncRefusal] {
    message.refusals.filter {
      !question.runs.indices.contains($0.run) || !question.runs[$0.run].isWanted
    }
  }
}
