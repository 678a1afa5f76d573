internal import CarillonModel

/// The facts among which the newest are kept: those of one table, source and writing replica.
struct FactScope: Hashable {
  let table: ProjectedTable
  /// Nil where the table has facts of replicas alone.
  var source: FactSource?
  let replica: ReplicaID

  /// Binds the columns of the key that all facts of the scope share.
  fileprivate func bind(to statement: Statement) {
    switch (table, source) {
    case (.item, let source?): statement.bindAll(source, replica)
    case (_, let source?): statement.bindAll(source.kind, source, replica)
    case (_, nil): statement.bindAll(replica)
    }
  }
}

/// What a fact is of, as rows name it.
///
/// Texts are held as bytes: SQLite tells apart what Unicode calls equal.
enum FactSource: Hashable, ParameterValue {
  case habit(HabitID)
  case items([UInt8])
  case pushes

  init(_ subject: ReceiptSubject) {
    self =
      switch subject {
      case .occurrence(let habit, _, _): .habit(habit)
      case .item(let source, _): .items(Array(source.utf8))
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
  /// Adds a fact, and removes the scope's oldest where that is one too many.
  ///
  /// What is kept of some facts tells what is kept of more, so that every order of arrival comes to
  /// the same rows.
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
