package import CarillonModel

/// The table `meta`: a few entries, and one entry with a checksum over the others.
package struct MetaTable: Sendable {
  private var values: [String: [UInt8]]

  /// Returns the entries of a new log with their checksum.
  package static func sealed(_ values: [MetaKey: [UInt8]]) -> [MetaKey: [UInt8]] {
    let names = values.map { ($0.key.rawValue, $0.value) }
    let table = MetaTable(values: Dictionary(uniqueKeysWithValues: names))
    return values.merging([.checksum: table.checksum]) { $1 }
  }

  /// Creates an empty table.
  package init() {
    values = [:]
  }

  private init(values: [String: [UInt8]]) {
    self.values = values
  }

  /// Creates a table from the entries of a log.
  ///
  /// - Throws: `unsupportedFormat`, naming both versions; `corrupt` if the entries have changed
  ///   since they were written.
  package init(_ values: [String: [UInt8]], version: UInt32) throws(LogError) {
    self.values = values
    let stored = self[.checksum]
    // Format 1 had no checksum. The checksum of a later format is unknown.
    guard stored == nil || stored == checksum else {
      throw .corrupt("its table meta does not match its checksum")
    }
    try requireFormat(version)
    guard stored != nil else { throw .corrupt("its table meta has no checksum") }
  }

  /// The checksum over the other entries: over each name and value in ascending order of names,
  /// each preceded by its length as u32.
  package var checksum: [UInt8] {
    var bytes: [UInt8] = []
    for (name, value) in values.sorted(by: { $0.key < $1.key })
    where name != MetaKey.checksum.rawValue {
      bytes += UInt32(name.utf8.count).bigEndianBytes + Array(name.utf8)
      bytes += UInt32(value.count).bigEndianBytes + value
    }
    return LogChecksum.of(bytes)
  }

  /// The bytes of an entry, or nil.
  package subscript(key: MetaKey) -> [UInt8]? {
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

  private func requireFormat(_ known: UInt32) throws(LogError) {
    let version = UInt32(bigEndianBytes: try value(.format, byteCount: 4))
    guard version != known else { return }
    throw LogError(
      code: .unsupportedFormat,
      message: "the log has format \(version), but this build reads only format \(known)")
  }
}

extension FixedWidthInteger {
  /// Creates an integer from bytes, the most significant first.
  package init(bigEndianBytes bytes: [UInt8]) {
    self = bytes.reduce(0) { $0 << 8 | Self($1) }
  }
}

/// The entries of the table `meta`, by name.
package enum MetaKey: String {
  /// u32: the version of the format.
  case format
  /// 16 bytes: the store's ID.
  case store
  /// 16 bytes: the `ReplicaID` that this log writes under.
  case replica
  /// 16 bytes: the previous `ReplicaID`; absent for a replica made by `create`.
  case predecessor
  /// inode u64, creation time in seconds i64 and nanoseconds u32 of the marker file.
  case marker
  /// u64: the generation of the projection file in use; absent for 0.
  case generation
  /// u32: the index of the branch of the log's own replica; all ones before its first event.
  case branch
  /// The erasure lists that were not applied yet; absent if there were never any. See
  /// ``NotedErasureList``.
  case erasures
  /// The erasures that a hub's log has read; absent in other logs. See ``ErasureSearch``.
  case erasureSearch
  /// 8 bytes: the checksum over all other entries, known or not.
  case checksum
}

/// A checksum that is stored next to bytes, to detect that they changed: the first 8 bytes of their
/// SHA-256.
enum LogChecksum {
  static let byteCount = 8

  static func of(_ bytes: [UInt8]) -> [UInt8] {
    Array(PayloadDigest(bytes).bytes.prefix(byteCount))
  }
}
