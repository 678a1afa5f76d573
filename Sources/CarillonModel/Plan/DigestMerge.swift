/// Requests in their order, with a digest in place of many of one group that come close together.
///
/// Only requests of one occurrence are gathered: what the system repeats cannot be taken back for a
/// single day. A digest begins with the first that is ahead, and holds those of its group that fire
/// within the rule's seconds from then on, where they are more than its count.
struct DigestMerge {
  private(set) var merge: RequestMerge
  private let rule: DigestRule?
  /// Taken from the merge and not given yet, in order.
  private var waiting: [Candidate] = []

  init(_ merge: RequestMerge, rule: DigestRule?) {
    self.merge = merge
    self.rule = rule
  }

  /// When the next request fires.
  var nextFire: Instant? { waiting.first?.fireAt ?? merge.nextFire }

  /// Takes the next request.
  mutating func next() -> Candidate? {
    guard let rule else { return merge.next() }
    while true {
      if waiting.isEmpty {
        guard let candidate = merge.next() else { return nil }
        waiting.append(candidate)
      }
      let first = waiting[0]
      guard first.canBeMerged else { return waiting.removeFirst() }
      fill(before: first.fireAt.adding(seconds: rule.seconds))
      let end = first.fireAt.adding(seconds: rule.seconds)
      let members = waiting.filter {
        $0.canBeMerged && $0.fireAt < end && $0.group == first.group
      }
      guard members.count > rule.count else { return waiting.removeFirst() }
      waiting.removeAll { one in members.contains { $0.id == one.id } }
      let digest = Candidate(digesting: members)
      waiting.insert(digest, at: waiting.firstIndex { digest < $0 } ?? waiting.endIndex)
    }
  }

  /// Takes all that are left, up to a limit, and only counts them; what a digest would hold counts
  /// one by one.
  mutating func countRest(upTo limit: Int) -> Int {
    min(limit, waiting.count + merge.countRest(upTo: limit))
  }

  private mutating func fill(before end: Instant) {
    while let next = merge.nextFire, next < end, let candidate = merge.next() {
      waiting.append(candidate)
    }
  }
}

extension Candidate {
  fileprivate var canBeMerged: Bool { trigger == nil && digest == nil }

  /// Habits without a group are one.
  fileprivate var group: String { firing.schedule.facts.habit.group ?? "" }

  /// The digest of some of one group, by (fire, id); it fires with the first.
  fileprivate init(digesting members: [Candidate]) {
    let first = members[0]
    self.init(
      id: RequestID(group: first.group, fireAt: first.fireAt), fireAt: first.fireAt,
      firing: first.firing, digest: Digest(group: first.group, members: members))
  }
}
