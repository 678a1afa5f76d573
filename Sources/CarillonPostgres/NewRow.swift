#if Service
internal import CarillonLog
internal import CarillonModel

/// A row of the table `run` that is not stored yet, as its columns will be.
struct NewRow {
  let run: StoredRun
  let ids: [UInt8]
  let contents: [UInt8]
  let isDeflated: Bool

  /// The bytes that count for the quota of the store.
  var byteCount: Int { ids.count + contents.count }

  /// Returns the rows of new events, each as large as a row may be.
  static func rows(
    _ contents: [StoredContent], ids: ArraySlice<EventID>, at place: LogState.Place
  ) throws -> [NewRow] {
    let ids = Array(ids)
    var rows: [NewRow] = []
    var start = 0
    while start < contents.count {
      let end = Self.end(of: contents, from: start)
      let run = try StoredRun(
        branch: place.branch, firstSequence: place.sequence + UInt64(start),
        firstPosition: place.position + UInt64(start), count: UInt64(end - start))
      rows.append(
        NewRow(RunRow(run, ids: Array(ids[start..<end]), Array(contents[start..<end]))))
      start = end
    }
    return rows
  }

  private init(_ row: RunRow) {
    (run, ids) = (row.run, row.idBytes)
    (contents, isDeflated) = row.contentBytes()
  }

  /// Returns the end of the row that starts with a content.
  private static func end(of contents: [StoredContent], from start: Int) -> Int {
    var (end, byteCount) = (start, 0)
    while end < contents.count, end - start < RunRow.maxEventCount, byteCount < RunRow.maxByteCount
    {
      if case .payload(let payload) = contents[end] { byteCount += payload.count }
      end += 1
    }
    return end
  }
}
#endif
