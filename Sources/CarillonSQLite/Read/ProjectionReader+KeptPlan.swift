package import CarillonModel

extension ProjectionReader {
  /// Returns the instant up to which the kept plan is complete; nil if no plan is kept.
  package func keptPlanCoverage() throws -> Instant? {
    try CachedPlan(connection: connection).coverageUntil()
  }

  /// Returns the IDs of the kept plan's requests, in its order; empty if none is kept.
  package func keptPlanRequests() throws -> [RequestID] {
    try CachedPlan(connection: connection).requestIDs()
  }

  /// Returns the schedules of the requests that do not fit the kept plan; empty if none is kept.
  package func keptPlanLeftOut() throws -> [LeftOutSchedule] {
    try CachedPlan(connection: connection).leftOut()
  }

  /// Returns the kept plan if it is valid for a basis; otherwise nil.
  ///
  /// - Complexity: O(requests).
  package func keptPlan(_ basis: PlanBasis) throws -> NotificationPlan? {
    try CachedPlan(connection: connection).read(basis, at: position)
  }

  /// Returns a request that this replica planned, up to 8 days after it fired; nil if it is
  /// unknown, for example after a rebuild.
  package func plannedRequest(_ id: RequestID) throws -> PlannedRequest? {
    try CachedPlan(connection: connection).plannedRequest(id)
  }

  /// Returns the repeating requests that this replica planned, up to 8 days after they fired; empty
  /// after a rebuild.
  package func plannedRepeats() throws -> [PlannedRequest] {
    try CachedPlan(connection: connection).plannedRepeats()
  }

  /// Returns the recent time zones of a replica's device in ascending order; empty after a rebuild.
  package func zoneStays(of replica: ReplicaID) throws -> [ZonePeriod] {
    try ZoneHistoryRows(connection: connection).read(of: replica)
  }
}
