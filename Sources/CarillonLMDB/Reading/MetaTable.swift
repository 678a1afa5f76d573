internal import CarillonModel

/// The database `meta`: a few entries, and one entry with a checksum over the others.
struct MetaTable: Sendable {
  private var values: [String: [UInt8]]

  /// Returns the entries of a new log with their checksum.
  static func sealed(_ values: [MetaKey: [UInt8]]) -> [MetaKey: [UInt8]] {
    let names = values.map { ($0.key.rawValue, $0.value) }
    let table = MetaTable(values: Dictionary(uniqueKeysWithValues: names))
    return values.merging([.checksum: table.checksum]) { $1 }
  }

  private init(values: [String: [UInt8]]) {
    self.values = values
  }

  /// Reads the entries of a snapshot.
  ///
  /// - Throws: `unsupportedFormat`, naming both versions; `corrupt` if the entries have changed
  ///   since they were written.
  init(_ snapshot: PageSnapshot) throws(LogError) {
    values = [:]
    var cursor = try snapshot.tree(.meta).cursor()
    var isFound = try cursor.seekFirst()
    while isFound, let (name, value) = try cursor.entry() {
      values[String(decoding: name, as: UTF8.self)] = Array(value)
      isFound = try cursor.next()
    }
    let stored = self[.checksum]
    // Format 1 had no checksum. The checksum of a later format is unknown.
    guard stored == nil || stored == checksum else {
      throw .corrupt("its table meta does not match its checksum")
    }
    try checkFormat()
    guard stored != nil else { throw .corrupt("its table meta has no checksum") }
  }

  /// The checksum over the other entries: over each name and value in ascending order of names,
  /// each preceded by its length as u32.
  var checksum: [UInt8] {
    var bytes: [UInt8] = []
    for (name, value) in values.sorted(by: { $0.key < $1.key })
    where name != MetaKey.checksum.rawValue {
      bytes += UInt32(name.utf8.count).bigEndianBytes + Array(name.utf8)
      bytes += UInt32(value.count).bigEndianBytes + value
    }
    return LogFormat.checksum(of: bytes)
  }

  /// The bytes of an entry, or nil.
  subscript(key: MetaKey) -> [UInt8]? {
    get { values[key.rawValue] }
    set { values[key.rawValue] = newValue }
  }

  /// Returns an entry that must exist.
  func value(_ key: MetaKey, byteCount: Int) throws(LogError) -> [UInt8] {
    guard let value = try optional(key, byteCount: byteCount) else {
      throw .corrupt("its table meta has no entry \(key.rawValue)")
    }
    return value
  }

  /// Returns an entry that may be missing.
  func optional(_ key: MetaKey, byteCount: Int) throws(LogError) -> [UInt8]? {
    guard let value = self[key] else { return nil }
    guard value.count == byteCount else {
      throw .corrupt("its entry \(key.rawValue) has \(value.count) bytes, expected \(byteCount)")
    }
    return value
  }

  private func checkFormat() throws(LogError) {
    let version = UInt32(bigEndianBytes: try value(.format, byteCount: 4))
    guard version != LogFormat.version else { return }
    throw LogError(
      code: .unsupportedFormat,
      message: "the log has format \(version), but this build reads only format "
        + "\(LogFormat.version)")
  }
}

extension FixedWidthInteger {
  /// Creates an integer from bytes, the most significant first.
  init(bigEndianBytes bytes: [UInt8]) {
    self = bytes.reduce(0) { $0 << 8 | Self($1) }
  }
}
