#if Service
internal import CPostgres
internal import CarillonLog
internal import CarillonModel

/// A value that a statement takes.
enum PostgresValue {
  static func text(_ text: String?) -> PostgresValue { .raw(text.map { Array($0.utf8) }, 25) }

  static func instant(_ instant: Instant?) -> PostgresValue {
    .raw(instant.map { UInt64(bitPattern: $0.milliseconds).bigEndianBytes }, 20)
  }

  static func list(_ items: [[UInt8]]) -> PostgresValue { .array(items, of: 17) }

  static func integers(_ items: [UInt64]) -> PostgresValue {
    .array(items.map(\.bigEndianBytes), of: 20)
  }

  static func flags(_ items: [Bool]) -> PostgresValue { .array(items.map { [$0 ? 1 : 0] }, of: 16) }

  case integer(UInt64)
  case bytes([UInt8])
  case flag(Bool)
  /// Items in PostgreSQL's binary format, with the number of their type.
  case array([[UInt8]], of: Oid)
  /// A value as a row has it, with the number of its type.
  case raw([UInt8]?, Oid)

  /// The value in PostgreSQL's binary format; nil for NULL.
  var encoded: [UInt8]? {
    switch self {
    case .integer(let value): value.bigEndianBytes
    case .bytes(let bytes): bytes
    case .flag(let isSet): [isSet ? 1 : 0]
    case .array(let items, let type):
      Self.encoded(items, of: type)
    case .raw(let bytes, _): bytes
    }
  }

  /// The number of the type in PostgreSQL's catalogue.
  var type: Oid {
    switch self {
    case .integer: 20
    case .bytes: 17
    case .flag: 16
    case .array(_, of: 16): 1000
    case .array(_, of: 20): 1016
    case .array: 1001
    case .raw(_, let type): type
    }
  }

  private static func encoded(_ items: [[UInt8]], of type: Oid) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(items.reduce(20) { $0 + 4 + $1.count })
    // One dimension without NULL, then the type and number of the items, and the first index.
    for number in [1, 0, type, UInt32(items.count), 1] {
      bytes.append(contentsOf: number.bigEndianBytes)
    }
    for item in items {
      bytes.append(contentsOf: UInt32(item.count).bigEndianBytes)
      bytes.append(contentsOf: item)
    }
    return bytes
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

  func flag(_ row: Int, _ column: Int) -> Bool { bytes(row, column) == [1] }

  /// A value to store again as it is.
  func raw(_ row: Int, _ column: Int) -> PostgresValue {
    .raw(isNull(row, column) ? nil : bytes(row, column), PQftype(result, Int32(column)))
  }

  /// The number of columns.
  var columnCount: Int { Int(PQnfields(result)) }

  /// A time in milliseconds; nil for NULL.
  func instant(_ row: Int, _ column: Int) throws(LogError) -> Instant? {
    guard !isNull(row, column) else { return nil }
    return Instant(milliseconds: Int64(bitPattern: try integer(row, column)))
  }

  func store(_ row: Int, _ column: Int) throws(LogError) -> StoreID {
    let bytes = bytes(row, column)
    guard bytes.count == 16 else { throw .corrupt("the ID of a store has \(bytes.count) bytes") }
    return bytes.withUnsafeBytes { StoreID(loading: $0) }
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
