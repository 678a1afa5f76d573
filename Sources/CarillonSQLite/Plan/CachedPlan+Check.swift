internal import CarillonModel
internal import Foundation

/// Compares a kept plan with a new one.
extension CachedPlan {
  /// Returns the parts of the kept plan that differ from a new plan for the same moment.
  ///
  /// - Parameters:
  ///   - position: The position of the projections. A plan of another position is out of date and
  ///     is not compared.
  ///   - plan: Computes the plan for a basis.
  /// - Returns: Nothing if nothing differs or no valid plan is kept.
  func differences(
    at position: LogPosition, _ plan: (PlanBasis) throws -> NotificationPlan
  ) throws -> [RowDifference] {
    guard let basis = try basis(), basis.zoneDataVersion == TimeZone.timeZoneDataVersion,
      let kept = try read(basis, at: position)
    else { return [] }
    let fresh = try plan(basis)
    var found: [RowDifference] = []
    for place in 0..<max(kept.requests.count, fresh.requests.count) {
      let (has, needs) = (
        kept.requests.indices.contains(place), fresh.requests.indices.contains(place)
      )
      if has, needs, kept.requests[place] == fresh.requests[place] { continue }
      found.append(
        RowDifference(
          table: "pending", key: "place \(place)",
          kind: has ? needs ? .different : .superfluous : .missing))
    }
    if kept.problems != fresh.problems {
      found.append(RowDifference(table: "plan_problem", key: "place 0"))
    }
    if kept.leftOut != fresh.leftOut {
      found.append(RowDifference(table: "plan_left_out", key: "place 0"))
    }
    let isEqual =
      kept.coverageUntil == fresh.coverageUntil && kept.dropped == fresh.dropped
      && kept.blocked == fresh.blocked && kept.validUntil == fresh.validUntil
      && kept.nextWakeHint == max(fresh.nextWakeHint, basis.now)
    if !isEqual {
      found.append(RowDifference(table: "plan", key: "position \(position.rawValue)"))
    }
    return try found + indexDifferences(of: fresh.requests)
  }

  /// Returns the planned requests whose occurrence cannot be looked up by ID.
  private func indexDifferences(of requests: [NotificationRequest]) throws -> [RowDifference] {
    try requests.compactMap { request in
      let noted = try plannedRequest(request.id)
      let isRight =
        noted?.occurrence == request.occurrence && noted?.fireAt == request.fireAt
        && noted?.alsoRepresents == request.alsoRepresents
      return isRight
        ? nil
        : RowDifference(
          table: "request", key: "request \(request.id)",
          kind: noted == nil ? .missing : .different)
    }
  }

  /// Returns the basis of the kept plan; nil if no plan is kept.
  private func basis() throws -> PlanBasis? {
    let row = try connection.prepare(
      "SELECT replica, zone, zone_data_version, capacity, horizon_days, planned_at FROM plan")
    guard try row.step() else { return nil }
    guard let zone = TimeZone(identifier: try row.text(1)) else { throw Statement.damagedValue }
    return PlanBasis(
      replica: try row.id(0), zone: zone, capacity: Int(clamping: row.integer(3)),
      horizonDays: row.isNull(4) ? nil : Int(clamping: row.integer(4)), now: row.instant(5),
      zoneDataVersion: try row.text(2))
  }
}
