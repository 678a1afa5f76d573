/// The tables whose rows are derived only from events: the state's digest covers them, and
/// a check of the projections compares them.
///
/// They are listed in the order of the digest. Changing this order changes every digest.
enum ProjectedTable: Int, CaseIterable, Sendable {
  case habit, habitField, habitArchived, habitDelete, schedule, scheduleCreated, scheduleField, edit
  case pause
  case entry, entryVoid, dayMark, note
  case activity, device, permission, permissionAsked, alerts, deviceSet
  case item, receipt, response
  case wake, pushToken, push, importFile
  case snooze, setting, settingEdit, submission
  case erasure

  /// The table's declaration.
  var table: Table { Self.tables[rawValue] }

  /// The rule by which rows of the same key are merged.
  var merge: RowMerge { Self.tables[rawValue].merge }

  private static let tables = allCases.map(\.declaration)

  private var declaration: Table {
    switch self {
    case .habit: .habit
    case .habitField: .habitField
    case .habitArchived: .habitArchived
    case .habitDelete: .habitDelete
    case .schedule: .schedule
    case .scheduleCreated: .scheduleCreated
    case .scheduleField: .scheduleField
    case .edit: .edit
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
    case .deviceSet: .deviceSet
    case .item: .item
    case .receipt: .receipt
    case .response: .response
    case .wake: .wake
    case .pushToken: .pushToken
    case .push: .push
    case .importFile: .importFile
    case .snooze: .snooze
    case .setting: .setting
    case .settingEdit: .settingEdit
    case .submission: .submission
    case .erasure: .erasure
    }
  }
}

extension Table {
  /// All tables of a file.
  static let all = ProjectedTable.allCases.map(\.table) + deviceLocal

  /// The tables that belong to one device, outside the digest and the comparison.
  private static let deviceLocal = [
    checkpoint, plan, pending, planProblem, planLeftOut, request, zoneHistory, keptDays, sweep,
    unconfirmed,
  ]

  /// The version of the projections.
  ///
  /// It is raised if a table changes, or if a build reads more kinds or fields or projects them
  /// differently.
  ///
  /// A file of another version is not converted but built again from the log.
  static let version: UInt32 = 20
}
