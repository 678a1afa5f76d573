#if Service
internal import CarillonLog
internal import CarillonModel
internal import CarillonSync

/// A row of the table `run`: events that are consecutive on their branch and in the log.
struct RunRow {
  private(set) var run: StoredRun
  private(set) var ids: [EventID]
  private(set) var contents: [StoredContent]
  /// The bytes of IDs and contents in the database; 0 for a new row.
  var storedByteCount = 0

  /// The most events of a row.
  static let maxEventCount = 512
  /// The number of bytes of contents that ends a row.
  static let maxByteCount = 1 << 20
  /// The most bytes that the contents of a row inflate to.
  static let inflatedLimit = maxByteCount + 2 * StoredEvent.maxPayloadBytes + 4 * maxEventCount

  static let columns = "branch, sequence, position, count, ids, contents, is_deflated"

  init(_ run: StoredRun, ids: [EventID], _ contents: [StoredContent]) {
    (self.run, self.ids, self.contents) = (run, ids, contents)
  }

  /// Joins rows that follow each other, as many as one row may have.
  ///
  /// - Returns: The row, and the number of rows that are in it.
  static func joining(_ rows: [RunRow]) throws -> (row: RunRow, count: Int) {
    var (joined, count, byteCount) = (rows[0], 1, rows[0].payloadByteCount)
    for row in rows.dropFirst() {
      byteCount += row.payloadByteCount
      guard byteCount < maxByteCount else { break }
      joined.ids += row.ids
      joined.contents += row.contents
      joined.storedByteCount += row.storedByteCount
      count += 1
    }
    joined.run = try StoredRun(
      branch: joined.run.branch, firstSequence: joined.run.firstSequence,
      firstPosition: joined.run.firstPosition, count: UInt64(joined.ids.count))
    return (joined, count)
  }

  private var payloadByteCount: Int {
    contents.reduce(0) {
      if case .payload(let payload) = $1 { $0 + payload.count } else { $0 }
    }
  }

  /// Reads ``columns`` of a row of a store.
  init(_ rows: PostgresRows, _ row: Int, of store: StoreID) throws(LogError) {
    run = try StoredRun(rows, row, from: 0)
    let count = Int(run.count)
    let bytes = rows.bytes(row, 4)
    let damage = LogError.corrupt(
      "store \(store): the row of branch \(run.branch) from sequence \(run.firstSequence), at "
        + "position \(run.firstPosition), cannot be read")
    guard count <= Self.maxEventCount, bytes.count == count * EventID.byteCount else {
      throw damage
    }
    ids = bytes.withUnsafeBytes { bytes in
      (0..<count).map { EventID(loading: UnsafeRawBufferPointer(rebasing: bytes[($0 * 32)...])) }
    }
    let stored = rows.bytes(row, 5)
    let plain =
      rows.flag(row, 6) ? Deflate.inflated(stored, limit: Self.inflatedLimit) : stored
    guard let plain, let contents = Self.contents(plain), contents.count == count else {
      throw damage
    }
    self.contents = contents
    storedByteCount = bytes.count + stored.count
  }

  func contains(_ position: UInt64) -> Bool {
    (run.firstPosition...run.lastPosition).contains(position)
  }

  func header(at position: UInt64) -> EventHeader {
    let offset = position - run.firstPosition
    return EventHeader(
      branch: run.branch, sequence: run.firstSequence + offset, id: ids[Int(offset)])
  }

  func event(at position: UInt64) -> HeldEvent {
    HeldEvent(
      header: header(at: position), content: contents[Int(position - run.firstPosition)])
  }

  mutating func replace(at position: UInt64, by event: HeldEvent) {
    let index = Int(position - run.firstPosition)
    (ids[index], contents[index]) = (event.id, event.content)
  }

  /// The bytes of the column `ids`.
  var idBytes: [UInt8] { ids.flatMap(\.bytes) }

  /// Returns the bytes of the column `contents`, and whether they are deflated.
  func contentBytes(level: Int32 = 1) -> (bytes: [UInt8], isDeflated: Bool) {
    var plain: [UInt8] = []
    for content in contents {
      switch content {
      case .payload(let payload): plain += UInt32(payload.count).bigEndianBytes + payload
      case .redacted(let redacted):
        plain += Self.redactedMark.bigEndianBytes + redacted.digest.bytes + redacted.erasure.bytes
      case .missing: plain += UInt32(0).bigEndianBytes
      }
    }
    guard let deflated = Deflate.deflated(plain, level: level) else { return (plain, false) }
    return (deflated, true)
  }

  /// In place of the length of a payload: a digest and the ID of an erasure follow.
  private static let redactedMark = UInt32.max

  /// Splits the bytes of a row; returns nil if they are not those of whole contents.
  private static func contents(_ bytes: [UInt8]) -> [StoredContent]? {
    bytes.withUnsafeBytes { bytes in
      var contents: [StoredContent] = []
      var offset = 0
      func take(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count <= bytes.count - offset else { return nil }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
      }
      while offset < bytes.count {
        guard let length = take(4) else { return nil }
        let count = UInt32(bigEndian: length.loadUnaligned(as: UInt32.self))
        if count == redactedMark {
          guard let digest = take(32), let erasure = take(32) else { return nil }
          contents.append(
            .redacted(
              RedactedContent(
                digest: PayloadDigest(loading: digest), erasure: EventID(loading: erasure))))
        } else {
          guard let payload = take(Int(count)) else { return nil }
          contents.append(count == 0 ? .missing : .payload([UInt8](payload)))
        }
      }
      return contents
    }
  }
}

extension StoredRun {
  /// Reads branch, sequence, position and count from consecutive columns.
  init(_ rows: PostgresRows, _ row: Int, from column: Int) throws(LogError) {
    try self.init(
      branch: rows.integer32(row, column), firstSequence: rows.integer(row, column + 1),
      firstPosition: rows.integer(row, column + 2), count: rows.integer(row, column + 3))
  }
}
#endif
