internal import CarillonModel

/// The database `meta`: few entries, and one that is a checksum over the others.
struct MetaTable: Sendable {
  private var values: [String: [UInt8]]

  /// The entries of a new log and their checksum.
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
  /// - Throws: `unsupportedFormat`, naming both versions; `corrupt` where they are not as they were
  ///   written.
  init(_ snapshot: PageSnapshot) throws(LogError) {
    values = [:]
    var cursor = try snapshot.tree(.meta).cursor()
    var isFound = try cursor.seekFirst()
    while isFound, let (name, value) = try cursor.entry() {
      values[String(decoding: name, as: UTF8.self)] = Array(value)
      isFound = try cursor.next()
    }
    let stored = self[.checksum]
    // Format 1 had no checksum. A later format's is not known.
    guard stored == nil || stored == checksum else {
      throw .corrupt("its table meta does not match its checksum")
    }
    try checkFormat()
    guard stored != nil else { throw .corrupt("its table meta has no checksum") }
  }

  /// The checksum that belongs to the other entries: over each name and value, their lengths before
  /// them as u32, by ascending name.
  var checksum: [UInt8] {
    var bytes: [UInt8] = []
    for (name, value) in values.sorted(by: { $0.key < $1.key })
    where name != MetaKey.checksum.rawValue {
      bytes += UInt32(name.utf8.count).bigEndianBytes + Array(name.utf8)
      bytes += UInt32(value.count).bigEndianBytes + value
    }
    return LogFormat.checksum(of: bytes)
  }

  /// An entry's bytes, or nil.
  subscript(key: MetaKey) -> [UInt8]? {
    get { values[key.rawValue] }
    set { values[key.rawValue] = newValue }
  }

  /// An entry that must be there.
  func value(_ key: MetaKey, byteCount: Int) throws(LogError) -> [UInt8] {
    guard let value = try optional(key, byteCount: byteCount) else {
      throw .corrupt("its \(key.rawValue) is missing")
    }
    return value
  }

  /// An entry that may be absent.
  func optional(_ key: MetaKey, byteCount: Int) throws(LogError) -> [UInt8]? {
    guard let value = self[key] else { return nil }
    guard value.count == byteCount else {
      throw .corrupt("its \(key.rawValue) has \(value.count) bytes instead of \(byteCount)")
    }
    return value
  }

  private func checkFormat() throws(LogError) {
    let version = UInt32(bigEndianBytes: try value(.format, byteCount: 4))
    guard version != LogFormat.version else { return }
    throw LogError(
      code: .unsupportedFormat,
      message: "The log is of format \(version); this build reads format \(LogFormat.version). "
        + "Use the Carillon that wrote it, or a newer one.")
  }
}

extension FixedWidthInteger {
  /// Reads bytes, the most significant first.
  init(bigEndianBytes bytes: [UInt8]) {
    self = bytes.reduce(0) { $0 << 8 | Self($1) }
  }
}
