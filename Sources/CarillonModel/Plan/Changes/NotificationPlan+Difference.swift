extension NotificationPlan {
  /// Returns the changes that make the system hold this plan.
  ///
  /// Apply the removals first, then the insertions.
  ///
  /// The current list of the system counts, not what was submitted before. If the plan is blocked,
  /// all requests of Carillon are removed and none are inserted. Other requests are counted and
  /// never touched.
  ///
  /// - Parameter scheduled: The requests that the system holds. Duplicate IDs count once.
  package func difference(from scheduled: some Sequence<ScheduledRequest>) -> PlanDifference {
    var held: [RequestID: String?] = [:]
    var foreign: Set<NotificationID> = []
    for request in scheduled {
      if let id = request.id.request {
        held[id] = .some(request.fingerprint)
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
      removals: removals.sorted(), insertions: insertions,
      unchanged: wanted.count - insertions.count, foreign: foreign.count,
      blocked: blocked)
  }
}

extension ScheduledRequest {
  /// Creates the entry of a request that was submitted to the system.
  package init(_ request: NotificationRequest) {
    self.init(id: .request(request.id), fingerprint: request.fingerprint)
  }

  /// Whether the request is one of Carillon's.
  package var isOurs: Bool { id.request != nil }
}
