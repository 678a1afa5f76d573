#if Service
package import CarillonHub
internal import CarillonLog
package import CarillonModel

extension PostgresHub {
  private static let columns = "store, kind, digest, role, name, since, expires, keys"

  package func add(_ invitation: HubAccess, at now: Instant) async throws {
    try await change(invitation.person) { connection, _ in
      connection.add(
        PostgresStatement(
          "DELETE FROM access WHERE store = $1 AND kind = 'invitation' AND expires <= $2",
          .bytes(invitation.person.bytes), .instant(now)))
      Self.insert(invitation, on: connection)
    }
  }

  package func access(_ kind: HubAccess.Kind, digest: [UInt8]) async throws -> HubAccess? {
    try await blocking { [groupList] in
      let statement = PostgresStatement(
        """
        SELECT \(Self.columns), is_fenced FROM access JOIN log USING (store)
        WHERE digest = $1 AND kind = $2
        """, .bytes(digest), .text(kind.rawValue))
      return try groupList.find(digest) { pool in
        let rows = try pool.look { try $0.rows(statement)[0] }
        guard rows.count == 1 else { return nil }
        let access = try Self.access(rows, 0)
        guard !rows.flag(0, 8) else { throw LogError.shardMoved(access.person) }
        return access
      }
    }
  }

  package func access(of person: StoreID) async throws -> [HubAccess] {
    try await inGroup(of: person) { pool in
      try pool.read { connection in
        _ = try LogRow(of: person, on: connection)
        let rows = try connection.rows(
          PostgresStatement(
            "SELECT \(Self.columns) FROM access WHERE store = $1 ORDER BY since, digest",
            .bytes(person.bytes)))[0]
        return try (0..<rows.count).map { try Self.access(rows, $0) }
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
        throw LogError(
          code: .full, message: "the store \(device.person) has \(row.deviceQuota) devices already")
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
        INSERT INTO access (\(columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT (digest) DO NOTHING
        """, .bytes(access.person.bytes), .text(access.kind.rawValue), .bytes(access.digest),
        .text(access.role), .text(access.name), .instant(access.since), .instant(access.expires),
        .text(access.keys)))
  }

  private static func access(_ rows: PostgresRows, _ row: Int) throws(LogError) -> HubAccess {
    guard let kind = HubAccess.Kind(rawValue: rows.text(row, 1)), rows.bytes(row, 2).count == 32,
      let since = try rows.instant(row, 5)
    else { throw .corrupt("a row of the table access cannot be read") }
    return HubAccess(
      kind, of: try rows.store(row, 0), digest: rows.bytes(row, 2), role: rows.text(row, 3),
      name: rows.isNull(row, 4) ? nil : rows.text(row, 4), since: since,
      expires: try rows.instant(row, 6), keys: rows.isNull(row, 7) ? nil : rows.text(row, 7))
  }
}
#endif
