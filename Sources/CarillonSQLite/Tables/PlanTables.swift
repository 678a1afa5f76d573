extension Table {
  /// How far the log is applied: one row, written in the transaction that applies the events.
  static let checkpoint = Table(
    "checkpoint", .none, key: [.one],
    [
      // The store whose log it is.
      .id("store"),
      // The position of the last event applied, 0 before the first, and its ID; it tells a log that
      // is not the one applied.
      .number("position"), .event.optional,
      // How many events are of a kind that this build does not know, and how many payloads of a
      // known kind cannot be read or break a limit.
      .number("unknown_count"), .number("unreadable_count"),
      // SHA-256 of the projected rows, and the position at which it was computed.
      .bytes("digest").optional, .number("digest_position").optional,
    ])

  /// What the kept plan was made from, and what it says as a whole: at most one row.
  static let plan = Table(
    "plan", .none, key: [.one],
    [
      // The log's position, the replica, and the settings for which it was planned.
      .number("position"), .replica, .text("zone"), .text("zone_data_version"),
      .number("capacity"),
      // Civil days; missing: as the store's settings say, which are events and so of the position.
      .number("horizon_days").optional,
      // It answers from one instant to before another.
      .instant("planned_at"), .instant("valid_until"), .instant("coverage_until"),
      .instant("next_wake"),
      // Civil dates not taken, up to 1000.
      .number("dropped"),
      // notDetermined, denied or alertsOff; missing: nothing blocks it.
      .text("blocked").optional,
    ])

  /// The requests of the kept plan, in its order.
  static let pending = Table(
    "pending", .none,
    // From 0.
    key: [.number("place")],
    [
      .text("request"), .id("habit"), .id("schedule"),
      // Missing: a place has no time.
      .instant("fire_at").optional,
      // The nominal date and minute.
      .date("day"), .number("minute"),
      // Whether the system repeats it.
      .flag("repeats"), .text("trigger"), .text("fingerprint"),
      // Under which receipts name it.
      .text("revision"),
      // The date and minute by which the occurrence is named, where they differ: of an interval
      // UTC's.
      .date("identity_day").optional, .number("identity_minute").optional,
      // The occurrences for which it stands besides: a JSON array; missing: none.
      .text("also_covers").optional,
      .text("title"), .text("body").optional, .text("sound").optional,
      // passive, active, timeSensitive or critical; missing: the system's own.
      .text("level").optional, .text("thread"),
      // A JSON object of texts; missing: empty.
      .text("data").optional,
    ])

  /// The schedules that the kept plan could not plan, in its order.
  static let planProblem = Table(
    "plan_problem", .none,
    // From 0.
    key: [.number("place")],
    // The zone that is not known, or the number of the rule's kind.
    [.id("habit"), .id("schedule"), .text("zone").optional, .number("rule").optional])

  /// From request ids to occurrences, kept for 8 days after a request fired.
  static let request = Table(
    "request", .none, key: [.text("request")],
    [
      // The date and minute by which the occurrence is named.
      .id("habit"), .id("schedule"), .date("day"), .number("minute"),
      // As in pending.
      .text("revision"), .text("also_covers").optional, .instant("fire_at").optional,
    ])

  /// In which zones this device was, as its plans found it, one period after another.
  ///
  /// Those that ended within the last days are kept.
  static let zoneHistory = Table(
    "zone_history", .last,
    // When the device was first and last seen there.
    key: [.replica, .instant("since")], [.instant("seen"), .text("zone")])
}

extension Column {
  /// The key of a table of one row: always 1.
  fileprivate static let one = number("one")
}
