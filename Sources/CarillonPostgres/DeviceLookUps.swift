#if Service
internal import CarillonHub
internal import CarillonModel
internal import CarillonThreads
internal import Synchronization

/// The look-ups of devices in one database: those that arrive while a query is on its way share the
/// next one.
final class DeviceLookUps: Sendable {
  /// A device, and the row of its person's log.
  struct Found: Sendable {
    let access: HubAccess
    let row: LogRow
  }

  private struct Caller {
    let digest: [UInt8]
    let continuation: CheckedContinuation<Found?, any Error>
  }

  private let callers = Mutex<[Caller]>([])
  private let queue = SerialQueue(on: ThreadPool(size: 1))

  /// Returns the device with a digest, or nil if the database has none.
  ///
  /// - Throws: `busy`, also if the person is moving to another database.
  func find(_ digest: [UInt8], in pool: PostgresPool) async throws -> Found? {
    try await withCheckedThrowingContinuation { continuation in
      let isFirst = callers.withLock { callers in
        callers.append(Caller(digest: digest, continuation: continuation))
        return callers.count == 1
      }
      if isFirst { queue.async { self.answer(in: pool) } }
    }
  }

  /// The same, on the caller's thread.
  static func find(_ digest: [UInt8], on connection: PostgresConnection) throws -> Found? {
    let rows = try rows(of: [digest], on: connection)
    return rows.count == 1 ? try found(rows, 0) : nil
  }

  // MARK: -

  private func answer(in pool: PostgresPool) {
    let callers = callers.withLock { callers in
      defer { callers = [] }
      return callers
    }
    do {
      let rows = try pool.look { try Self.rows(of: callers.map(\.digest), on: $0) }
      let places = Dictionary(
        (0..<rows.count).map { (rows.bytes($0, 0), $0) }, uniquingKeysWith: { first, _ in first })
      for caller in callers {
        caller.continuation.resume(
          with: Result { try places[caller.digest].map { try Self.found(rows, $0) } })
      }
    } catch {
      for caller in callers { caller.continuation.resume(throwing: error) }
    }
  }

  private static func rows(
    of digests: [[UInt8]], on connection: PostgresConnection
  ) throws -> PostgresRows {
    try connection.rows(
      PostgresStatement(
        """
        SELECT digest, \(LogRow.columns), \(HubAccess.columns) FROM access JOIN log USING (store)
        WHERE digest = ANY($1) AND kind = 'device'
        """, .list(digests)))[0]
  }

  private static func found(_ rows: PostgresRows, _ row: Int) throws -> Found {
    let access = try HubAccess(rows, row, from: 7)
    return Found(access: access, row: try LogRow(rows, row, from: 1, of: access.person))
  }
}
#endif
