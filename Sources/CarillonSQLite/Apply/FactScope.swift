internal import CarillonModel

/// The facts among which the newest are kept: those of one table, source and writing replica.
struct FactScope: Hashable {
  /// The tables of such facts.
  enum Table {
    case item, receipt, response
  }

  let table: Table
  let source: FactSource
  let replica: ReplicaID

  /// Binds the parameters from 1 that a scope takes, and gives the number of the next.
  @discardableResult
  func bind(_ statement: Statement) -> Int32 {
    var index: Int32 = 1
    if table != .item {
      statement.bind(index, source.kind)
      index += 1
    }
    source.bind(statement, index)
    statement.bind(index + 1, replica)
    return index + 2
  }

  /// Counts the scope's rows.
  var count: Merge {
    switch table {
    case .item: .itemCount
    case .receipt: .receiptCount
    case .response: .responseCount
    }
  }

  /// Removes the scope's oldest row.
  var trim: Merge {
    switch table {
    case .item: .itemTrim
    case .receipt: .receiptTrim
    case .response: .responseTrim
    }
  }
}

/// What a fact is of, as rows name it.
///
/// Texts are held as bytes: SQLite tells apart what Unicode calls equal.
enum FactSource: Hashable {
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

  func bind(_ statement: Statement, _ index: Int32) {
    switch self {
    case .habit(let habit): statement.bind(index, habit)
    case .items(let source): statement.bind(index, String(decoding: source, as: UTF8.self))
    case .pushes: statement.bind(index, "")
    }
  }
}

extension EventApplier {
  /// Adds the fact to which a statement is bound, and lets go of the scope's oldest where that is
  /// one too many.
  ///
  /// What is kept of some facts tells what is kept of more, so that every order of arrival comes to
  /// the same rows.
  func addFact(_ statement: Statement, in scope: FactScope) throws {
    let before = rowChangeCount
    try statement.run()
    guard rowChangeCount > before else { return }
    var count = try factCounts[scope].map { $0 + 1 } ?? rowCount(of: scope)
    if count > KeptFacts.perSource {
      let trim = try self.statement(scope.trim)
      scope.bind(trim)
      try trim.run()
      count -= 1
    }
    factCounts[scope] = count
  }

  private func rowCount(of scope: FactScope) throws -> Int {
    let rows = try statement(scope.count)
    scope.bind(rows)
    var count = 0
    while try rows.step() { count = Int(clamping: rows.integer(0)) }
    return count
  }
}
