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
  /// Creates the entry of a request that was submitted to the system.
  package init(_ request: NotificationRequest) {
    self.init(id: request.id, fingerprint: request.fingerprint)
  }

  /// Whether the ID marks a request of Carillon: an occurrence, a repeating request, a digest, a
  /// fetched item, or the request to open the app.
  package var isOurs: Bool {
    RequestID.prefixes.contains { id.utf8.starts(with: $0.utf8) }
  }
}
