/// Merges requests in order and replaces many close requests of one group with a digest.
///
/// Only requests for a single occurrence are merged, because a repeating request cannot be
/// cancelled for a single day; ``DigestSearch`` finds the times that are not repeated for this
/// reason. A snoozed occurrence is not merged, because the person chose its
/// instant. A digest starts with the first upcoming request and holds the
/// requests of its group that fire within the rule's number of seconds from then on, if there are
/// more of them than the rule's count.
struct DigestMerge {
  private(set) var merge: RequestMerge
  private let rule: DigestRule?
  /// Candidates taken from the merge and not yet returned, in order.
  private var waiting: [Candidate] = []

  init(_ merge: RequestMerge, rule: DigestRule?) {
    self.merge = merge
    self.rule = rule
  }

  /// Removes and returns the next request.
  mutating func next() -> Candidate? {
    guard let rule else { return merge.next() }
    while true {
      if waiting.isEmpty {
        guard let candidate = merge.next() else { return nil }
        waiting.append(candidate)
      }
      let first = waiting[0]
      guard first.canBeMerged else { return waiting.removeFirst() }
      let end = first.fireAt.adding(seconds: rule.seconds)
      fill(before: end)
      let isMember = { (one: Candidate) in
        one.canBeMerged && one.fireAt < end && one.group == first.group
      }
      let members = waiting.filter(isMember)
      guard members.count > rule.count else { return waiting.removeFirst() }
      waiting.removeAll(where: isMember)
      let digest = Candidate(digesting: members)
      waiting.insert(digest, at: waiting.firstIndex { digest < $0 } ?? waiting.endIndex)
    }
  }

  /// Consumes the remaining requests as far as needed to count them up to a limit, and returns
  /// their number.
  ///
  /// The members of a future digest are counted one by one.
  ///
  /// For the parameters, see ``RequestMerge/rest(upTo:_:until:)``.
  mutating func rest(
    upTo limit: Int, _ visit: (RequestMerge.Rest) -> Bool, until isOver: (Instant) -> Bool
  ) -> Int {
    for part in waiting.flatMap(\.parts) { _ = visit(.request(part)) }
    return min(limit, waiting.count + merge.rest(upTo: limit, visit, until: isOver))
  }

  private mutating func fill(before end: Instant) {
    while let next = merge.nextFire, next < end, let candidate = merge.next() {
      waiting.append(candidate)
    }
  }
}

extension Candidate {
  fileprivate var canBeMerged: Bool {
    if case .snoozed = firing.revision { return false }
    return trigger == nil && digest == nil
  }

  /// The habit's group, or the empty text for habits without a group, which form one group.
  fileprivate var group: String { firing.schedule.facts.habit.group ?? "" }

  /// Creates the digest of some requests of one group, sorted by instant and ID.
  ///
  /// It fires with the first.
  fileprivate init(digesting members: [Candidate]) {
    let first = members[0]
    self.init(
      id: RequestID(group: first.group, fireAt: first.fireAt), fireAt: first.fireAt,
      firing: first.firing, digest: Digest(group: first.group, members: members))
  }
}
