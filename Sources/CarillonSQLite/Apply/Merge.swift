/// How one fact meets the rows: one statement for each, commutative and idempotent.
///
/// Only event IDs decide between facts, compared bytewise; that is how SQLite compares blobs.
enum Merge: Int, CaseIterable {
  case habit, habitField, habitArchived, habitDeleted, habitRestored
  case slot, pause
  case entry, entryVoid, dayMark
  case activity, device, permission, permissionAsked, alerts

  var sql: String {
    switch self {
    case .habit: "INSERT OR IGNORE INTO habit (habit) VALUES (?1)"
    case .habitField:
      Self.register("habit_field", key: ["habit", "field"], values: ["value"])
    case .habitArchived:
      Self.register("habit_archived", key: ["habit"], values: ["archived"])
    case .habitDeleted: Self.removal(seen: "deleted", other: "restored")
    case .habitRestored: Self.removal(seen: "restored", other: "deleted")
    case .slot: Self.register("slot", key: ["habit", "slot"], values: ["payload"])
    case .pause: Self.register("pause", key: ["pause"], values: ["habit", "first", "last"])
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
    case .permission:
      Self.register("permission", key: ["replica"], values: ["status", "options"])
    case .permissionAsked:
      "INSERT OR IGNORE INTO permission_asked (replica, step, outcome) VALUES (?1, ?2, ?3)"
    case .alerts: Self.register("alerts", key: ["device", "switch"], values: ["value"])
    }
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
