internal import CarillonModel

/// The facts of one table, source and writing replica; only the newest of them are retained.
struct FactScope: Hashable {
  let table: ProjectedTable
  /// The source; nil if the table's facts have only a replica.
  var source: FactSource?
  let replica: ReplicaID

  /// Binds the key columns that all facts of the scope share.
  fileprivate func bind(to statement: Statement) {
    switch (table, source) {
    case (.item, let source?): statement.bindAll(source, replica)
    case (_, let source?): statement.bindAll(source.kind, source, replica)
    case (_, nil): statement.bindAll(replica)
    }
  }
}

/// The source of a fact, as named in rows.
///
/// Texts are stored as bytes, because SQLite distinguishes texts that Unicode treats as equal.
enum FactSource: Hashable, ParameterValue {
  case habit(HabitID)
  case items([UInt8])
  case pushes

  init(_ subject: ReceiptSubject) {
    self =
      switch subject {
      case .occurrence(let occurrence): .habit(occurrence.habit)
      case .item(let source, _, _): .items(Array(source.utf8))
      case .push: .pushes
      }
  }

  /// The number of the subject's kind.
  var kind: Int64 {
    switch self {
    case .habit: 1
    case .items: 2
    case .pushes: 3
    }
  }

  func bind(to statement: Statement, _ index: Int32) {
    switch self {
    case .habit(let habit): statement.bind(index, habit)
    case .items(let source): statement.bind(index, String(decoding: source, as: UTF8.self))
    case .pushes: statement.bind(index, "")
    }
  }
}

extension EventApplier {
  /// Inserts a fact, and removes the scope's oldest fact if the scope then exceeds its limit.
  ///
  /// A fact that is among the newest of all events is also among the newest of any part of them, so
  /// every order of arrival results in the same rows.
  func insertFact<each Value: ParameterValue>(
    in scope: FactScope, _ values: repeat each Value
  ) throws {
    let before = rowChangeCount
    try insert(scope.table, repeat each values)
    guard rowChangeCount > before else { return }
    var count = try factCounts[scope].map { $0 + 1 } ?? rowCount(of: scope)
    if count > Retention.perSource {
      let trim = try statement(.trim, of: scope.table)
      scope.bind(to: trim)
      try trim.run()
      count -= 1
    }
    factCounts[scope] = count
  }

  private func rowCount(of scope: FactScope) throws -> Int {
    let rows = try statement(.count, of: scope.table)
    scope.bind(to: rows)
    var count = 0
    while try rows.step() { count = Int(clamping: rows.integer(0)) }
    return count
  }
}
