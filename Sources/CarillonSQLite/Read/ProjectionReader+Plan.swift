package import CarillonModel

extension ProjectionReader {
  /// Until when the kept plan misses nothing; nil without one.
  package func keptPlanCoverage() throws -> Instant? {
    try KeptPlan(connection: connection).coverageUntil()
  }

  /// The occurrence of a request that this replica planned, up to 8 days after it fired; nil where
  /// it is not known, as after a rebuild.
  package func occurrence(of request: String) throws -> RequestOccurrence? {
    try KeptPlan(connection: connection).occurrence(of: request)
  }

  /// In which zones a replica's device was lately, as its plans found it, ascending; none are known
  /// after a rebuild.
  package func zoneStays(of replica: ReplicaID) throws -> [ZonePeriod] {
    try ZoneHistoryRows(connection: connection).read(of: replica)
  }
}
