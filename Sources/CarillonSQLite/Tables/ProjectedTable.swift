/// The tables whose rows follow from the events alone: what the state's digest covers and
/// `rebuild --check` compares.
///
/// In the order in which they are digested; changing it changes every digest.
enum ProjectedTable: Int, CaseIterable, Sendable {
  case habit, habitField, habitArchived, habitDelete, schedule, pause
  case entry, entryVoid, dayMark, note
  case activity, device, permission, permissionAsked, alerts
  case item, receipt, response
  case wake, pushToken, push, importFile
  case snooze, setting, submission
  case erasure

  /// The table's declaration.
  var table: Table { Self.tables[rawValue] }

  private static let tables = allCases.map(\.declaration)

  private var declaration: Table {
    switch self {
    case .habit: .habit
    case .habitField: .habitField
    case .habitArchived: .habitArchived
    case .habitDelete: .habitDelete
    case .schedule: .schedule
    case .pause: .pause
    case .entry: .entry
    case .entryVoid: .entryVoid
    case .dayMark: .dayMark
    case .note: .note
    case .activity: .activity
    case .device: .device
    case .permission: .permission
    case .permissionAsked: .permissionAsked
    case .alerts: .alerts
    case .item: .item
    case .receipt: .receipt
    case .response: .response
    case .wake: .wake
    case .pushToken: .pushToken
    case .push: .push
    case .importFile: .importFile
    case .snooze: .snooze
    case .setting: .setting
    case .submission: .submission
    case .erasure: .erasure
    }
  }
}

extension Table {
  /// All tables of a file.
  static let all = ProjectedTable.allCases.map(\.table) + deviceLocal

  /// The tables of one device's own: outside the digest and the comparison.
  private static let deviceLocal = [
    checkpoint, plan, pending, planProblem, request, zoneHistory, sweep, unconfirmed,
  ]

  /// The version of the projections: raised whenever a table changes, and whenever a build reads
  /// more kinds or fields or projects them otherwise.
  ///
  /// A file of another version is not converted but built anew from the log.
  static let version: UInt32 = 8
}
