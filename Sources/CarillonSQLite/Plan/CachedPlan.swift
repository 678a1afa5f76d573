internal import CarillonModel
internal import Foundation

/// The plan that a projection file keeps, with its basis.
struct CachedPlan {
  let connection: Connection

  /// The time after firing for which a request's occurrence can be looked up, in milliseconds.
  static let requestLifetime: Int64 = 8 * 86_400_000

  /// Returns the kept plan if it is valid for a basis at a position; otherwise nil.
  ///
  /// The plan has the basis's moment, and its count of computed occurrences is 0.
  func read(_ basis: PlanBasis, at position: LogPosition) throws -> NotificationPlan? {
    let row = try connection.query(
      """
      SELECT coverage_until, dropped, blocked, valid_until, next_wake FROM plan
      WHERE position = ?1 AND replica = ?2 AND zone = ?3 AND zone_data_version = ?4
        AND capacity = ?5 AND horizon_days IS ?6 AND planned_at <= ?7 AND valid_until > ?7
      """, position, basis.replica, basis.zone.identifier, basis.zoneDataVersion, basis.capacity,
      basis.horizonDays, basis.now)
    guard try row.step() else { return nil }
    return NotificationPlan(
      asOf: basis.now, zone: basis.zone.ianaName, capacity: basis.capacity,
      requests: try requests(), coverageUntil: row.instant(0),
      dropped: Int(clamping: row.integer(1)), leftOut: try leftOut(),
      blocked: row.isNull(2) ? nil : try row.named(2),
      computedCount: 0, validUntil: row.instant(3), nextWakeHint: max(row.instant(4), basis.now),
      problems: try problems())
  }

  /// Keeps a plan instead of the previous one.
  func write(_ plan: NotificationPlan, _ basis: PlanBasis, at position: LogPosition) throws {
    try connection.execute("DELETE FROM plan")
    try connection.execute(
      Table.plan.insertion, 1, position, basis.replica, basis.zone.identifier,
      basis.zoneDataVersion, basis.capacity, basis.horizonDays, basis.now, plan.validUntil,
      plan.coverageUntil, plan.nextWakeHint, plan.dropped, plan.blocked?.rawValue)
    try write(plan.requests)
    try write(plan.problems)
    try write(plan.leftOut)
    try index(plan.requests, now: basis.now)
    try ZoneHistoryRows(connection: connection).note(basis)
  }

  /// Returns the instant up to which the kept plan is complete; nil if no plan is kept.
  func coverageUntil() throws -> Instant? {
    let row = try connection.prepare("SELECT coverage_until FROM plan")
    return try row.step() ? row.instant(0) : nil
  }

  /// Returns the IDs of the kept plan's requests, in its order.
  func requestIDs() throws -> [RequestID] {
    let rows = try connection.prepare("SELECT request FROM pending ORDER BY place")
    var ids: [RequestID] = []
    while try rows.step() { ids.append(try rows.parsed(0)) }
    return ids
  }

  /// Returns a request that was planned on this device, up to 8 days after it fired.
  func plannedRequest(_ id: RequestID) throws -> PlannedRequest? {
    try plannedRequests("request = ?1", id.description).first
  }

  /// Returns the repeating requests that were planned on this device, up to 8 days after they
  /// fired.
  func plannedRepeats() throws -> [PlannedRequest] {
    // IDs sort by their prefixes.
    try plannedRequests("request >= ?1 AND request < ?2", "c1r.", "c1r/")
  }

  private func plannedRequests<each Value: ParameterValue>(
    _ condition: String, _ values: repeat each Value
  ) throws -> [PlannedRequest] {
    let rows = try connection.query(
      """
      SELECT request, habit, schedule, day, minute, revision, also_represents, fire_at, held_since
      FROM request WHERE \(condition)
      """, repeat each values)
    var requests: [PlannedRequest] = []
    while try rows.step() {
      requests.append(
        PlannedRequest(
          id: try rows.parsed(0),
          occurrence: OccurrenceID(
            habit: try rows.id(1), schedule: try rows.id(2), nominal: try rows.nominal(3, 4),
            revision: .init(try rows.text(5))),
          alsoRepresents: try rows.occurrences(6), fireAt: rows.isNull(7) ? nil : rows.instant(7),
          heldSince: rows.isNull(8) ? nil : rows.instant(8)))
    }
    return requests
  }

  /// Records which repeating requests the system holds from now on.
  func note(held ids: [RequestID], now: Instant) throws {
    let known = try plannedRepeats()
    let held = Set(ids)
    for request in known where held.contains(request.id) != (request.heldSince != nil) {
      try connection.execute(
        "UPDATE request SET held_since = ?1 WHERE request = ?2",
        request.heldSince == nil ? now : nil, request.id.description)
    }
  }

  // MARK: - Requests

  private func requests() throws -> [NotificationRequest] {
    let rows = try connection.prepare(
      """
      SELECT request, habit, schedule, fire_at, day, minute, trigger, fingerprint, revision,
        identity_day, identity_minute, also_represents, title, body, sound, level, thread, data
      FROM pending ORDER BY place
      """)
    var requests: [NotificationRequest] = []
    while try rows.step() {
      let nominal = try rows.nominal(4, 5)
      requests.append(
        NotificationRequest(
          id: try rows.parsed(0),
          occurrence: OccurrenceID(
            habit: try rows.id(1), schedule: try rows.id(2),
            nominal: rows.isNull(9) ? nominal : try rows.nominal(9, 10),
            revision: .init(try rows.text(8))),
          alsoRepresents: try rows.occurrences(11), content: try rows.content(12),
          fireAt: rows.isNull(3) ? nil : rows.instant(3), nominal: nominal,
          trigger: try rows.parsed(6), fingerprint: try rows.text(7)))
    }
    return requests
  }

  private func write(_ requests: [NotificationRequest]) throws {
    try connection.execute("DELETE FROM pending")
    let row = try connection.prepare(Table.pending.insertion)
    for (place, request) in requests.enumerated() {
      let occurrence = request.occurrence
      let identity = occurrence.nominal == request.nominal ? nil : occurrence.nominal
      let content = request.content
      try row.run(
        place, request.id.description, occurrence.habit, occurrence.schedule, request.fireAt,
        request.nominal.date,
        request.nominal.time, request.trigger.description, request.fingerprint,
        occurrence.revision.text, identity?.date, identity?.time,
        try request.alsoRepresents.column(),
        content.title, content.body, content.sound, content.level?.rawValue, content.thread,
        try content.dataColumn())
    }
  }

  private func problems() throws -> [PlanProblem] {
    let rows = try connection.prepare(
      "SELECT habit, schedule, zone, rule FROM plan_problem ORDER BY place")
    var problems: [PlanProblem] = []
    while try rows.step() {
      let kind: PlanProblem.Kind =
        if let zone = try rows.optionalText(2) {
          .unknownZone(zone)
        } else {
          .unknownRule(number: UInt32(truncatingIfNeeded: rows.integer(3)))
        }
      problems.append(PlanProblem(habit: try rows.id(0), schedule: try rows.id(1), kind: kind))
    }
    return problems
  }

  private func write(_ problems: [PlanProblem]) throws {
    try connection.execute("DELETE FROM plan_problem")
    let row = try connection.prepare(Table.planProblem.insertion)
    for (place, problem) in problems.enumerated() {
      var (zone, rule): (String?, UInt32?)
      switch problem.kind {
      case .unknownZone(let name): zone = name
      case .unknownRule(let number): rule = number
      }
      try row.run(place, problem.habit, problem.schedule, zone, rule)
    }
  }

  /// Returns the schedules of the requests that did not fit the kept plan.
  func leftOut() throws -> [LeftOutSchedule] {
    let rows = try connection.prepare(
      "SELECT habit, schedule, title, since FROM plan_left_out ORDER BY place")
    var schedules: [LeftOutSchedule] = []
    while try rows.step() {
      schedules.append(
        LeftOutSchedule(
          habit: try rows.id(0), schedule: try rows.id(1), title: try rows.text(2),
          since: rows.isNull(3) ? nil : rows.instant(3)))
    }
    return schedules
  }

  private func write(_ leftOut: [LeftOutSchedule]) throws {
    try connection.execute("DELETE FROM plan_left_out")
    let row = try connection.prepare(Table.planLeftOut.insertion)
    for (place, left) in leftOut.enumerated() {
      try row.run(place, left.habit, left.schedule, left.title, left.since)
    }
  }

  /// Stores the occurrence of each request ID, and removes those that fired long ago.
  private func index(_ requests: [NotificationRequest], now: Instant) throws {
    let (oldest, isUnder) = now.milliseconds.subtractingReportingOverflow(Self.requestLifetime)
    try connection.execute("DELETE FROM request WHERE fire_at < ?1", isUnder ? Int64.min : oldest)
    let row = try connection.prepare(
      """
      INSERT INTO request
        (request, habit, schedule, day, minute, revision, also_represents, fire_at)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      ON CONFLICT (request) DO UPDATE
      SET day = excluded.day, minute = excluded.minute, revision = excluded.revision,
        also_represents = excluded.also_represents, fire_at = excluded.fire_at
      WHERE excluded.fire_at IS NOT fire_at OR excluded.revision <> revision
        OR excluded.also_represents IS NOT also_represents OR excluded.day <> day
      """)
    for request in requests {
      let occurrence = request.occurrence
      try row.run(
        request.id.description, occurrence.habit, occurrence.schedule, occurrence.nominal.date,
        occurrence.nominal.time, occurrence.revision.text,
        try request.alsoRepresents.column(), request.fireAt)
    }
  }
}

extension RequestContent {
  /// Returns the value of the column for the data; nil for empty data.
  fileprivate func dataColumn() throws -> String? {
    data.isEmpty ? nil : String(decoding: try JSONEncoder().encode(data), as: UTF8.self)
  }
}

extension Statement {
  /// Returns title, body, sound, level, thread and data, starting at a column.
  fileprivate func content(_ first: Int) throws -> RequestContent {
    var content = RequestContent(
      title: try text(first), body: try optionalText(first + 1), sound: try optionalText(first + 2),
      level: isNull(first + 3) ? nil : try named(first + 3), thread: try text(first + 4))
    if let data = try optionalText(first + 5) {
      content.data = try JSONDecoder().decode([String: String].self, from: Data(data.utf8))
    }
    return content
  }
}
