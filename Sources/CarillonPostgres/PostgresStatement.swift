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

  /// Adds the statement to a connection's pipeline, by its name if it is prepared there.
  func send(as name: String?, on handle: OpaquePointer) -> Bool {
    let encoded = values.map(\.encoded)
    let types = values.map(\.type)
    let lengths = encoded.map { Int32(clamping: $0?.count ?? 0) }
    let formats = [Int32](repeating: 1, count: encoded.count)
    var all: [UInt8] = []
    all.reserveCapacity(encoded.reduce(1) { $0 + ($1?.count ?? 0) })
    for case let value? in encoded { all.append(contentsOf: value) }
    // So that an empty value has an address.
    all.append(0)
    return all.withUnsafeBufferPointer { buffer in
      var offset = 0
      let starts: [UnsafePointer<CChar>?] = encoded.map { value in
        guard let value else { return nil }
        defer { offset += value.count }
        return buffer.baseAddress.map {
          UnsafeRawPointer($0 + offset).assumingMemoryBound(to: CChar.self)
        }
      }
      if let name {
        return PQsendQueryPrepared(
          handle, name, Int32(encoded.count), starts, lengths, formats, 1) == 1
      }
      return PQsendQueryParams(
        handle, sql, Int32(encoded.count), types, starts, lengths, formats, 1) == 1
    }
  }
}
#endif
