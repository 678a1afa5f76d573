/// A table whose rows follow from the events alone: what the state's digest covers and
/// `rebuild --check` compares.
struct ProjectedTable: Sendable {
  let name: String
  /// The primary key's columns, in its order, come first.
  let columns: [String]
  let keyCount: Int

  /// All rows, in key order: a walk along the clustered key.
  var orderedSelection: String {
    let key = columns[..<keyCount].joined(separator: ", ")
    return "SELECT \(columns.joined(separator: ", ")) FROM \(name) ORDER BY \(key)"
  }

  /// In the order in which they are digested; changing it changes every digest.
  static let all = [
    ProjectedTable("habit", key: ["habit"], ["event"]),
    ProjectedTable("habit_field", key: ["habit", "field"], ["event", "value"]),
    ProjectedTable("habit_archived", key: ["habit"], ["event", "archived"]),
    ProjectedTable("habit_delete", key: ["habit", "event"], ["deleted", "restored"]),
    ProjectedTable("slot", key: ["habit", "slot"], ["event", "payload"]),
    ProjectedTable("pause", key: ["pause", "habit"], ["event", "first", "last"]),
    ProjectedTable("entry", key: ["habit", "day", "entry", "event"], ["value", "at", "note"]),
    ProjectedTable("entry_void", key: ["entry", "event"], []),
    ProjectedTable("day_mark", key: ["habit", "day"], ["event", "mark"]),
    ProjectedTable("activity", key: ["replica"], ["day"]),
    ProjectedTable(
      "device", key: ["replica"],
      ["event", "name", "role", "zone", "zone_data_version", "capacity", "predecessor"]),
    ProjectedTable("permission", key: ["replica", "event"], ["status", "options", "at"]),
    ProjectedTable("permission_asked", key: ["replica", "event"], ["step", "outcome"]),
    ProjectedTable("alerts", key: ["device", "switch"], ["event", "value"]),
    ProjectedTable(
      "item", key: ["source", "replica", "event", "place"], ["item", "revision", "title"]),
    ProjectedTable(
      "receipt", key: ["kind", "source", "replica", "event"],
      ["slot", "day", "minute", "name", "revision", "state", "at", "fire_at"]),
    ProjectedTable(
      "response", key: ["kind", "source", "replica", "event"],
      ["slot", "day", "minute", "name", "revision", "action", "text", "at"]),
    ProjectedTable("wake", key: ["replica", "reason"], ["event", "result", "new_count"]),
    ProjectedTable(
      "push_token", key: ["replica", "environment"], ["event", "token", "error"]),
    ProjectedTable(
      "push", key: ["push"],
      ["event", "replica", "kind", "collapses", "category", "thread", "revision", "at"]),
    ProjectedTable("import_file", key: ["file_hash"], ["event", "payload"]),
    ProjectedTable(
      "snooze", key: ["habit", "slot", "day", "minute", "number"],
      ["event", "until", "ignores_quiet_hours"]),
    ProjectedTable("setting", key: ["name"], ["event", "value"]),
    ProjectedTable(
      "submission", key: ["replica"],
      [
        "event", "added", "removed", "failed", "ids_digest", "coverage_until", "dropped",
        "capacity", "at",
      ]),
    ProjectedTable("erasure", key: ["event"], ["scope", "subject", "up_to"]),
  ]

  /// The tables of one device's own: outside the digest and the comparison.
  static let deviceLocal = [
    "checkpoint", "plan", "pending", "plan_problem", "request", "stay", "sweep", "settling",
  ]

  private init(_ name: String, key: [String], _ values: [String]) {
    self.name = name
    columns = key + values
    keyCount = key.count
  }
}
