/// The source of one request of a plan.
struct Candidate {
  /// A group of firings that one digest request announces.
  struct Digest {
    let group: String
    /// The firings, sorted by instant and ID.
    let members: [Candidate]
  }

  let id: RequestID
  /// The instant at which the request fires.
  let fireAt: Instant
  /// The occurrence that names the request.
  ///
  /// For a digest, the first member.
  let firing: Firing
  /// The trigger of a repeating request, or nil if the request is for a single occurrence or a
  /// digest.
  var trigger: RequestTrigger.Shape?
  var digest: Digest?
}

extension Candidate: Comparable {
  static func == (left: Self, right: Self) -> Bool {
    left.fireAt == right.fireAt && left.id == right.id
  }

  static func < (left: Self, right: Self) -> Bool {
    left.fireAt == right.fireAt ? left.id < right.id : left.fireAt < right.fireAt
  }
}

extension Candidate {
  /// Creates the candidate of a request by computing its ID.
  init(_ request: Upcoming) {
    self.init(
      id: request.id, fireAt: request.fireAt, firing: request.firing, trigger: request.trigger)
  }

  /// The request of a candidate that is no digest.
  var upcoming: Upcoming { Upcoming(firing: firing, trigger: trigger) }

  /// The requests that this one stands for: the members of a digest, otherwise itself.
  var parts: [Upcoming] { digest?.members.flatMap(\.parts) ?? [upcoming] }
}
