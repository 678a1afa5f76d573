extension Plan {
  /// What to change so that the system holds this plan: remove first, then add.
  ///
  /// The system's list is the truth, not what was given to it before. While the plan is blocked
  /// nothing is wanted of the system: all of ours is removed and none added. Others' requests are
  /// counted and never touched.
  ///
  /// - Parameter scheduled: what the system holds; an id that comes twice is one.
  public func difference(from scheduled: some Sequence<ScheduledRequest>) -> PlanDifference {
    var held: [String: String?] = [:]
    var foreign: Set<String> = []
    for request in scheduled {
      if request.isOurs {
        held[request.id] = .some(request.fingerprint)
      } else {
        foreign.insert(request.id)
      }
    }
    let wanted = blocked == nil ? requests : []
    let insertions = wanted.filter { request in
      guard let known = held[request.id] else { return true }
      return known.map { $0 != request.fingerprint } ?? false
    }
    let removals = Set(held.keys).subtracting(wanted.lazy.map(\.id))
    return PlanDifference(
      removals: removals.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) },
      insertions: insertions, unchanged: wanted.count - insertions.count, foreign: foreign.count,
      blocked: blocked)
  }
}

extension ScheduledRequest {
  /// Makes the entry of a request that was given to the system.
  public init(_ request: Request) {
    self.init(id: request.id, fingerprint: request.fingerprint)
  }

  /// Whether it is one of ours by its id: an occurrence, a repeating request, a digest, a fetched
  /// item, or the request to open the app.
  public var isOurs: Bool {
    RequestID.prefixes.contains { id.utf8.starts(with: $0.utf8) }
  }
}
