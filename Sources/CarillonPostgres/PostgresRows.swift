#if Service
internal import CPostgres
internal import CarillonLog
internal import CarillonModel

/// A value that a statement takes.
enum PostgresValue {
  case integer(UInt64)
  case bytes([UInt8])
  case text(String)
  case flag(Bool)

  /// The value in PostgreSQL's binary format.
  var encoded: [UInt8] {
    switch self {
    case .integer(let value): value.bigEndianBytes
    case .bytes(let bytes): bytes
    case .text(let text): Array(text.utf8)
    case .flag(let isSet): [isSet ? 1 : 0]
    }
  }

  /// The number of the type in PostgreSQL's catalogue.
  var type: Oid {
    switch self {
    case .integer: 20
    case .bytes: 17
    case .text: 25
    case .flag: 16
    }
  }
}

/// The rows that a statement returned, in binary format.
final class PostgresRows {
  private let result: OpaquePointer

  init(_ result: OpaquePointer) {
    self.result = result
  }

  deinit { PQclear(result) }

  var count: Int { Int(PQntuples(result)) }

  func isNull(_ row: Int, _ column: Int) -> Bool {
    PQgetisnull(result, Int32(row), Int32(column)) != 0
  }

  func bytes(_ row: Int, _ column: Int) -> [UInt8] {
    let start = PQgetvalue(result, Int32(row), Int32(column))
    let count = Int(PQgetlength(result, Int32(row), Int32(column)))
    return Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  func text(_ row: Int, _ column: Int) -> String {
    String(decoding: bytes(row, column), as: UTF8.self)
  }

  /// The bits of a `bigint`.
  func integer(_ row: Int, _ column: Int) throws(LogError) -> UInt64 {
    let bytes = bytes(row, column)
    guard bytes.count == 8 else { throw .corrupt("a number of a row has \(bytes.count) bytes") }
    return UInt64(bigEndianBytes: bytes)
  }

  func integer32(_ row: Int, _ column: Int) throws(LogError) -> UInt32 {
    guard let value = UInt32(exactly: try integer(row, column)) else {
      throw .corrupt("the branch of a row is out of range")
    }
    return value
  }
}
#endif
