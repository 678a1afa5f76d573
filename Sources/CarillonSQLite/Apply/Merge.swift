/// How one fact meets the rows: one statement for each, commutative and idempotent.
///
/// Only event IDs decide between facts, compared bytewise; that is how SQLite compares blobs.
enum Merge: Int, CaseIterable {
  case habit, habitField, habitArchived, habitDeleted, habitRestored
  case slot, pause
  case entry, entryVoid, dayMark
  case activity, device, permission, permissionTrim, permissionAsked, alerts
  case item, itemCount, itemTrim
  case receipt, receiptCount, receiptTrim
  case response, responseCount, responseTrim
  case wake, pushToken, push, importFile
  case snooze, setting, submission
  case erasure, settling

  var sql: String {
    switch self {
    case .habit:
      """
      INSERT INTO habit (habit, event) VALUES (?1, ?2)
      ON CONFLICT (habit) DO UPDATE SET event = excluded.event WHERE excluded.event < event
      """
    case .habitField:
      Self.register("habit_field", key: ["habit", "field"], values: ["value"])
    case .habitArchived:
      Self.register("habit_archived", key: ["habit"], values: ["archived"])
    case .habitDeleted: Self.removal(seen: "deleted", other: "restored")
    case .habitRestored: Self.removal(seen: "restored", other: "deleted")
    case .slot: Self.register("slot", key: ["habit", "slot"], values: ["payload"])
    case .pause: Self.register("pause", key: ["pause", "habit"], values: ["first", "last"])
    case .entry:
      """
      INSERT OR IGNORE INTO entry (habit, day, entry, event, value, at, note)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """
    case .entryVoid: "INSERT OR IGNORE INTO entry_void (entry, event) VALUES (?1, ?2)"
    case .dayMark: Self.register("day_mark", key: ["habit", "day"], values: ["mark"])
    case .activity:
      """
      INSERT INTO activity (replica, day) VALUES (?1, ?2)
      ON CONFLICT (replica) DO UPDATE SET day = excluded.day WHERE excluded.day > day
      """
    case .device:
      Self.register(
        "device", key: ["replica"],
        values: ["name", "role", "zone", "zone_data_version", "capacity", "predecessor"])
    case .permissionAsked:
      """
      INSERT OR IGNORE INTO permission_asked (replica, event, step, outcome)
      VALUES (?1, ?2, ?3, ?4)
      """
    case .alerts: Self.register("alerts", key: ["device", "switch"], values: ["value"])
    case .item:
      """
      INSERT OR IGNORE INTO item (source, replica, event, place, item, revision, title)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """
    case .itemCount: "SELECT count(*) FROM item WHERE source = ?1 AND replica = ?2"
    case .itemTrim:
      """
      DELETE FROM item WHERE source = ?1 AND replica = ?2 AND (event, place) = (
        SELECT event, place FROM item WHERE source = ?1 AND replica = ?2
        ORDER BY event, place LIMIT 1)
      """
    case .receipt: Self.notificationFact("receipt", values: ["state", "at", "fire_at"])
    case .receiptCount: Self.notificationFactCount("receipt")
    case .receiptTrim: Self.notificationFactTrim("receipt")
    case .response: Self.notificationFact("response", values: ["action", "text", "at"])
    case .responseCount: Self.notificationFactCount("response")
    case .responseTrim: Self.notificationFactTrim("response")
    case .wake:
      Self.register("wake", key: ["replica", "reason"], values: ["result", "new_count"])
    case .pushToken:
      Self.register("push_token", key: ["replica", "environment"], values: ["token", "error"])
    case .push:
      Self.register(
        "push", key: ["push"],
        values: ["replica", "kind", "collapses", "category", "thread", "revision", "at"])
    case .importFile: Self.register("import_file", key: ["file_hash"], values: ["payload"])
    case .permission, .permissionTrim, .snooze, .setting, .submission, .erasure, .settling: laterSQL
    }
  }

  private var laterSQL: String {
    switch self {
    case .permission:
      """
      INSERT OR IGNORE INTO permission (replica, event, status, options, at)
      VALUES (?1, ?2, ?3, ?4, ?5)
      """
    case .permissionTrim:
      """
      DELETE FROM permission WHERE replica = ?1 AND event <= (
        SELECT event FROM permission WHERE replica = ?1
        ORDER BY event DESC LIMIT 1 OFFSET ?2)
      """
    case .erasure:
      "INSERT OR IGNORE INTO erasure (event, scope, subject, up_to) VALUES (?1, ?2, ?3, ?4)"
    case .settling: "INSERT OR REPLACE INTO settling (position, event, erasure) VALUES (?1, ?2, ?3)"
    case .snooze:
      Self.register(
        "snooze", key: ["habit", "slot", "day", "minute", "number"],
        values: ["until", "ignores_quiet_hours"])
    case .setting: Self.register("setting", key: ["name"], values: ["value"])
    default:
      Self.register(
        "submission", key: ["replica"],
        values: [
          "added", "removed", "failed", "ids_digest", "coverage_until", "dropped", "capacity",
          "at",
        ])
    }
  }

  /// A fact of a notification: parameters are the scope, the event, the subject, the values.
  private static func notificationFact(_ table: String, values: [String]) -> String {
    let columns =
      ["kind", "source", "replica", "event", "slot", "day", "minute", "name", "revision"] + values
    let parameters = columns.indices.map { "?\($0 + 1)" }
    return """
      INSERT OR IGNORE INTO \(table) (\(columns.joined(separator: ", ")))
      VALUES (\(parameters.joined(separator: ", ")))
      """
  }

  private static func notificationFactCount(_ table: String) -> String {
    "SELECT count(*) FROM \(table) WHERE kind = ?1 AND source = ?2 AND replica = ?3"
  }

  private static func notificationFactTrim(_ table: String) -> String {
    """
    DELETE FROM \(table) WHERE kind = ?1 AND source = ?2 AND replica = ?3 AND event = (
      SELECT min(event) FROM \(table) WHERE kind = ?1 AND source = ?2 AND replica = ?3)
    """
  }

  /// A register: parameters are the key, the event, then the values; the greatest event ID holds.
  private static func register(_ table: String, key: [String], values: [String]) -> String {
    let columns = key + ["event"] + values
    let parameters = columns.indices.map { "?\($0 + 1)" }
    let updates = (["event"] + values).map { "\($0) = excluded.\($0)" }
    return """
      INSERT INTO \(table) (\(columns.joined(separator: ", ")))
      VALUES (\(parameters.joined(separator: ", ")))
      ON CONFLICT (\(key.joined(separator: ", ")))
      DO UPDATE SET \(updates.joined(separator: ", ")) WHERE excluded.event > event
      """
  }

  /// Removal by name: parameters are the habit and the delete's event; the two halves of the fact
  /// may come in either order.
  private static func removal(seen: String, other: String) -> String {
    """
    INSERT INTO habit_delete (habit, event, \(seen), \(other)) VALUES (?1, ?2, 1, 0)
    ON CONFLICT (habit, event) DO UPDATE SET \(seen) = 1 WHERE \(seen) = 0
    """
  }
}
