package import CarillonModel

extension ProjectionReader {
  /// Returns the plan that a replica last submitted to its system, and its event; nil if there is
  /// none.
  package func submission(
    of replica: ReplicaID
  ) throws -> (event: EventID, plan: PlanSubmitted)? {
    let row = try connection.query(
      """
      SELECT event, added, removed, failed, ids_digest, coverage_until, dropped, capacity, at
      FROM submission WHERE replica = ?1
      """, replica)
    guard try row.step() else { return nil }
    let plan = PlanSubmitted(
      added: Int(clamping: row.integer(1)), removed: Int(clamping: row.integer(2)),
      failed: Int(clamping: row.integer(3)), idsDigest: Array(try row.blob(4)),
      coverageUntil: row.isNull(5) ? nil : row.instant(5), dropped: Int(clamping: row.integer(6)),
      capacity: Int(clamping: row.integer(7)), at: row.instant(8))
    return (try row.eventID(0), plan)
  }
}
