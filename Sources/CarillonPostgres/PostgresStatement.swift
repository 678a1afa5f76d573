#if Service
internal import CPostgres

/// A statement with its values.
struct PostgresStatement {
  let sql: String
  let values: [PostgresValue]

  init(_ sql: String, _ values: PostgresValue...) {
    self.init(sql, values)
  }

  init(_ sql: String, _ values: [PostgresValue]) {
    self.sql = sql
    self.values = values
  }

  /// What the server prepares once a connection; nil for a statement without values, which costs
  /// it little.
  var text: Text? { values.isEmpty ? nil : Text(sql: sql, types: values.map(\.type)) }

  struct Text: Hashable {
    let sql: String
    let types: [Oid]
  }
}
#endif
