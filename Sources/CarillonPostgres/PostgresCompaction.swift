#if Service
internal import CarillonLog
internal import CarillonModel

extension PostgresEventLog {
  /// Joins small rows of events that follow each other into larger ones.
  ///
  /// Events, IDs and positions do not change. Each step is a transaction of its own, which locks
  /// the store's row for one joined row, so that appends go on in between. The call may end or be
  /// cancelled between any two steps, and continues where it ended when it is called again.
  ///
  /// - Returns: The number of rows that were joined into others.
  /// - Throws: `LogError`: `closed`, `busy`, `unknownOutcome`, `corrupt`; `CancellationError`.
  package func compactRows() async throws -> Int {
    try handle.checkOpen()
    var (next, joined): (UInt64?, Int) = (1, 0)
    while let first = next {
      try Task.checkCancellation()
      // On the writer's thread: an append of this process waits for one step at most.
      let step = try await withCheckedThrowingContinuation { continuation in
        handle.writer.afterWaiting { [backend] in
          continuation.resume(with: Result { try backend.compact(from: first) })
        }
      }
      joined += step.joined
      next = step.next
    }
    return joined
  }
}

extension PostgresBackend {
  /// What one step did.
  struct CompactionStep {
    var joined = 0
    /// The position from which to go on; nil at the end.
    var next: UInt64?
  }

  /// The most rows that one step looks at.
  private static let lookedCount = RunRow.maxEventCount

  /// Joins the first rows from a position that can be joined.
  func compact(from first: UInt64) throws -> CompactionStep {
    let looked = try read { try $0.runs(from: first, count: Self.lookedCount) }
    guard let last = looked.last else { return CompactionStep() }
    guard let group = Self.firstGroup(of: looked) else {
      // The next row may follow the last one.
      let isEnd = looked.count < Self.lookedCount
      return CompactionStep(next: isEnd ? nil : last.firstPosition)
    }
    return try join(group)
  }

  /// Returns the first rows that follow each other on one branch, none of which is half full.
  private static func firstGroup(of runs: [StoredRun]) -> [StoredRun]? {
    var group: [StoredRun] = []
    var count: UInt64 = 0
    for run in runs {
      let follows = group.last.map {
        $0.branch == run.branch && $0.endSequence == run.firstSequence
          && $0.lastPosition + 1 == run.firstPosition
      }
      let isSmall = run.count < RunRow.maxEventCount / 2
      if isSmall, follows ?? true, count + run.count <= RunRow.maxEventCount {
        group.append(run)
        count += run.count
      } else if group.count > 1 {
        break
      } else {
        (group, count) = isSmall ? ([run], run.count) : ([], 0)
      }
    }
    return group.count > 1 ? group : nil
  }

  private func join(_ group: [StoredRun]) throws -> CompactionStep {
    try pool.write { connection in
      let snapshot = PostgresSnapshot(connection, try lock(connection).state)
      let rows = try snapshot.rows(
        startingIn: group[0].firstPosition...group[group.count - 1].firstPosition)
      // Another process may have joined them in between.
      guard rows.map(\.run) == group else {
        return CompactionStep(next: group[0].firstPosition)
      }
      let (row, count) = try RunRow.joining(rows)
      if count > 1 {
        snapshot.update(row, level: 6)
        connection.add(
          PostgresStatement(
            "UPDATE log SET byte_count = byte_count + $2 WHERE store = $1", .bytes(store.bytes),
            .integer(UInt64(bitPattern: Int64(snapshot.addedByteCount)))))
      }
      return CompactionStep(joined: count - 1, next: row.run.lastPosition + 1)
    }
  }
}
#endif
