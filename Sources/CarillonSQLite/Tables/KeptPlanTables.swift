extension Table {
  /// The position up to which the log is applied: one row, written in the transaction that applies
  /// the events.
  static let checkpoint = Table(
    "checkpoint", .none, erasedWith: .nothing, key: [.one],
    [
      // The store that the log belongs to.
      .id("store"),
      // The position of the last applied event, 0 before the first, and its ID, which reveals a log
      // that is not the applied one.
      .number("position"), .event.optional,
      // The number of events of a kind that this build does not know, and the number of payloads of
      // a known kind that cannot be read or break a limit.
      .number("unknown_count"), .number("unreadable_count"),
      // The SHA-256 of the projected rows, and the position at which it was computed.
      .bytes("digest").optional, .number("digest_position").optional,
    ])

  /// The basis of the kept plan and its properties: at most one row.
  static let plan = Table(
    "plan", .none, erasedWith: .nothing, key: [.one],
    [
      // The log's position, the replica, and the settings that the plan was made for.
      .number("position"), .replica, .text("zone"), .text("zone_data_version"),
      .number("capacity"),
      // Civil days; missing: as in the store's settings, which are events and follow from the
      // position.
      .number("horizon_days").optional,
      // The plan is valid from `planned_at` until just before `valid_until`.
      .instant("planned_at"), .instant("valid_until"), .instant("coverage_until"),
      .instant("next_wake"),
      // The number of requests left out, up to 1000.
      .number("dropped"),
      // notDetermined, denied or alertsOff; missing: nothing is blocked.
      .text("blocked").optional,
    ])

  /// The requests of the kept plan, in its order.
  static let pending = Table(
    "pending", .none, erasedWith: .nothing,
    // Starting at 0.
    key: [.number("place")],
    [
      .text("request"), .id("habit"), .id("schedule"),
      // Missing: the request fires at a place.
      .instant("fire_at").optional,
      // The nominal date and minute.
      .date("day"), .number("minute"),
      .text("trigger"), .text("fingerprint"),
      // The revision that receipts refer to.
      .text("revision"),
      // The date and minute that identify the occurrence, if they differ. For an interval they are
      // in UTC.
      .date("identity_day").optional, .number("identity_minute").optional,
      // The other occurrences that the request represents, as a JSON array; missing: none.
      .text("also_represents").optional,
      .text("title"), .text("body").optional, .text("sound").optional,
      // passive, active, timeSensitive or critical; missing: the system's default.
      .text("level").optional, .text("thread"),
      // A JSON object of texts; missing: empty.
      .text("data").optional,
    ])

  /// The schedules that could not be planned, in the kept plan's order.
  static let planProblem = Table(
    "plan_problem", .none, erasedWith: .nothing,
    // Starting at 0.
    key: [.number("place")],
    // The unknown time zone, or the number of the unknown rule's kind.
    [.id("habit"), .id("schedule"), .text("zone").optional, .number("rule").optional])

  /// The schedules of the requests that did not fit the kept plan, in its order.
  static let planLeftOut = Table(
    "plan_left_out", .none, erasedWith: .nothing,
    // Starting at 0.
    key: [.number("place")],
    // The habit's title; when the first request fires that did not fit, missing: a place.
    [.id("habit"), .id("schedule"), .text("title"), .instant("since").optional])

  /// The occurrences of request IDs, kept for 8 days after a request fired.
  static let request = Table(
    "request", .none, erasedWith: .nothing, key: [.text("request")],
    [
      // The date and minute that identify the occurrence.
      .id("habit"), .id("schedule"), .date("day"), .number("minute"),
      // As in `pending`.
      .text("revision"), .text("also_represents").optional, .instant("fire_at").optional,
      // Since when this device's system is known to hold the request, if it repeats; missing: it
      // is not known to hold it.
      .instant("held_since").optional,
    ])

  /// The time zones that this device was in, as observed when it planned, one row for each period.
  ///
  /// The periods that ended within the last 16 days are kept.
  static let zoneHistory = Table(
    "zone_history", .last, erasedWith: .nothing,
    // The instants at which the device was first and last observed there.
    key: [.replica, .instant("since")], [.instant("seen"), .text("zone")])
}

extension Column {
  /// The key of a table with one row; always 1.
  fileprivate static let one = number("one")
}
