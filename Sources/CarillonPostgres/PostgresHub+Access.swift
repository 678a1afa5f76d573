#if Service
package import CarillonHub
internal import CarillonLog
package import CarillonModel

extension PostgresHub {
  package func device(digest: [UInt8]) async throws -> HubDevice? {
    if let group = groupList.group(of: digest), let pool = groupList.openPool(of: group) {
      do {
        if let found = try await pool.devices.find(digest, in: pool) {
          return try await device(found, in: pool)
        }
      } catch let error as LogError where error.isMove {
        // Another group has it now, or will.
      }
    }
    let found = try await blocking { [groupList] in
      try groupList.find(digest, of: \.0.access.person) { pool in
        try pool.look { try DeviceLookUps.find(digest, on: $0) }.map { ($0, pool) }
      }
    }
    guard let (found, pool) = found else { return nil }
    return try await device(found, in: pool)
  }

  /// Returns a device with the log of its person, in the state that was found.
  private func device(
    _ found: DeviceLookUps.Found, in pool: PostgresPool
  ) async throws -> HubDevice {
    let person = found.access.person
    if let log = logs[person, in: pool], let state = log.backend.known(at: found.row) {
      return HubDevice(found, log, state.ends, pool)
    }
    return try await pool.blocking { [logs] in
      let log = try logs.log(of: person, in: pool)
      return HubDevice(found, log, try log.backend.state(at: found.row).ends, pool)
    }
  }

  package func add(_ invitation: HubAccess, at now: Instant, limit: Int) async throws {
    try await change(invitation.person) { connection, _ in
      let rows = try connection.rows(
        PostgresStatement(
          "DELETE FROM access WHERE store = $1 AND kind = 'invitation' AND expires <= $2",
          .bytes(invitation.person.bytes), .instant(now)),
        PostgresStatement(
          """
          SELECT count(*) FROM access WHERE store = $1 AND kind = 'invitation' AND digest <> $2
          """, .bytes(invitation.person.bytes), .bytes(invitation.digest)))
      guard try rows[1].integer(0, 0) < limit else {
        throw LogError.tooManyInvitations(limit: limit)
      }
      Self.insert(invitation, on: connection)
    }
  }

  package func access(_ kind: HubAccess.Kind, digest: [UInt8]) async throws -> HubAccess? {
    try await blocking { [groupList] in
      let statement = PostgresStatement(
        """
        SELECT \(HubAccess.columns), is_fenced FROM access JOIN log USING (store)
        WHERE digest = $1 AND kind = $2
        """, .bytes(digest), .text(kind.rawValue))
      return try groupList.find(digest, of: \.person) { pool in
        let rows = try pool.look { try $0.rows(statement)[0] }
        guard rows.count == 1 else { return nil }
        let access = try HubAccess(rows, 0, from: 0)
        guard !rows.flag(0, 8) else { throw LogError.shardMoved(access.person) }
        return access
      }
    }
  }

  package func access(
    of person: StoreID, includingKeys includesKeys: Bool
  ) async throws -> [HubAccess] {
    try await inGroup(of: person) { pool in
      try pool.read { connection in
        _ = try LogRow(of: person, on: connection)
        let rows = try connection.rows(
          PostgresStatement(
            "SELECT \(includesKeys ? HubAccess.columns : HubAccess.columnsWithoutKeys) FROM access "
              + "WHERE store = $1 ORDER BY since, digest", .bytes(person.bytes)))[0]
        return try (0..<rows.count).map { try HubAccess(rows, $0, from: 0) }
      }
    }
  }

  package func exchange(_ invitation: HubAccess, for device: HubAccess) async throws -> Bool {
    try await change(invitation.person) { connection, row in
      let rows = try connection.rows(
        PostgresStatement(
          """
          DELETE FROM access WHERE digest = $1 AND store = $2 AND kind = 'invitation'
          RETURNING 1
          """, .bytes(invitation.digest), .bytes(invitation.person.bytes)),
        PostgresStatement(
          "SELECT count(*), count(*) FILTER (WHERE digest = $2) FROM access "
            + "WHERE store = $1 AND kind = 'device'",
          .bytes(device.person.bytes), .bytes(device.digest)))
      // The same call may have succeeded before, with an outcome that is unknown.
      guard rows[0].count == 1 else { return try rows[1].integer(0, 1) == 1 }
      guard try rows[1].integer(0, 0) < row.deviceQuota else {
        throw try LogError.overQuota(devices: row.deviceQuota, used: rows[1].integer(0, 0))
      }
      Self.insert(device, on: connection)
      return true
    }
  }

  package func revoke(_ id: HubAccess.ID, of person: StoreID) async throws -> Bool {
    try await change(person) { connection, _ in
      let rows = try connection.rows(
        PostgresStatement(
          """
          DELETE FROM access
          WHERE store = $1 AND substring(digest FOR \(HubAccess.idByteCount)) = $2
          RETURNING 1
          """, .bytes(person.bytes), .bytes(id)))
      return rows[0].count > 0
    }
  }

  // MARK: -

  private static func insert(_ access: HubAccess, on connection: PostgresConnection) {
    connection.add(
      PostgresStatement(
        """
        INSERT INTO access (\(HubAccess.columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT (digest) DO NOTHING
        """, .bytes(access.person.bytes), .text(access.kind.rawValue), .bytes(access.digest),
        .text(access.role), .text(access.name), .instant(access.since), .instant(access.expires),
        .text(access.keys)))
  }
}

extension HubDevice {
  fileprivate init(
    _ found: DeviceLookUps.Found, _ log: PostgresEventLog, _ ends: LogEnds, _ pool: PostgresPool
  ) {
    self.init(
      found.access, log: log, branches: ends.branches, identity: ends.identity,
      byteQuota: found.row.byteQuota,
      byteCount: { log.backend.newestByteCount ?? found.row.byteCount }, threads: pool.executor)
  }
}

extension HubAccess {
  /// The columns of the table `access`.
  static let columns = "store, kind, digest, role, name, since, expires, keys"

  /// The same columns, with NULL in place of the keys.
  static let columnsWithoutKeys = "store, kind, digest, role, name, since, expires, NULL::text"

  /// Reads consecutive columns, in the order of ``columns``.
  init(_ rows: PostgresRows, _ row: Int, from column: Int) throws(LogError) {
    guard let kind = Kind(rawValue: rows.text(row, column + 1)),
      rows.bytes(row, column + 2).count == 32, let since = try rows.instant(row, column + 5)
    else { throw .corrupt("a row of the table access cannot be read") }
    func text(_ column: Int) -> String? {
      rows.isNull(row, column) ? nil : rows.text(row, column)
    }
    self.init(
      kind, of: try rows.store(row, column), digest: rows.bytes(row, column + 2),
      role: rows.text(row, column + 3), name: text(column + 4), since: since,
      expires: try rows.instant(row, column + 6), keys: text(column + 7))
  }
}
#endif
