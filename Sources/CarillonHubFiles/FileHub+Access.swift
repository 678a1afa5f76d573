#if Service
package import CarillonHub
internal import CarillonLog
package import CarillonModel
internal import CarillonSQLiteLog
internal import Foundation
internal import GRDB

extension FileHub {
  package func add(_ invitation: HubAccess, at now: Instant, limit: Int) async throws {
    try await people.write { database in
      try Row.require(invitation.person, in: database)
      try database.execute(
        sql: "DELETE FROM access WHERE store = ? AND kind = 'invitation' AND expires <= ?",
        arguments: [Data(invitation.person), now.milliseconds])
      let count = try Int.fetchOne(
        database,
        sql: "SELECT count(*) FROM access WHERE store = ? AND kind = 'invitation' AND digest <> ?",
        arguments: [Data(invitation.person), Data(invitation.digest)])
      guard let count, count < limit else { throw LogError.tooManyInvitations(limit: limit) }
      try Row.insert(invitation, in: database)
    }
  }

  package func device(digest: [UInt8]) async throws -> HubDevice? {
    let row = try await people.read { database -> (HubAccess, HubPerson)? in
      guard let access = try Row.access(.device, digest: digest, in: database) else { return nil }
      return (access, try Row.require(access.person, in: database))
    }
    guard let (access, person) = row else { return nil }
    return try await withLog(of: person) { [executor] log in
      let ends = try log.ends()
      return HubDevice(
        access, log: log, branches: ends.branches, identity: ends.identity,
        byteQuota: person.quota.bytes, byteCount: { try log.byteCount() }, threads: executor)
    }
  }

  package func access(_ kind: HubAccess.Kind, digest: [UInt8]) async throws -> HubAccess? {
    try await people.read { try Row.access(kind, digest: digest, in: $0) }
  }

  package func access(
    of person: StoreID, includingKeys includesKeys: Bool
  ) async throws -> [HubAccess] {
    try await people.read { database in
      try Row.require(person, in: database)
      let keys = includesKeys ? "keys" : "NULL AS keys"
      return try Row.fetchAll(
        database,
        sql: "SELECT digest, store, kind, role, name, since, expires, \(keys) FROM access "
          + "WHERE store = ? ORDER BY since, digest",
        arguments: [Data(person)]
      ).map { try HubAccess($0) }
    }
  }

  package func exchange(_ invitation: HubAccess, for device: HubAccess) async throws -> Bool {
    // A device that cannot sync has no use for the invitation.
    let invited = try await people.read { try Row.require(invitation.person, in: $0) }
    _ = try await withLog(of: invited) { try $0.ends() }
    return try await people.write { database in
      let person = try Row.require(invitation.person, in: database)
      try database.execute(
        sql: "DELETE FROM access WHERE digest = ? AND store = ? AND kind = 'invitation'",
        arguments: [Data(invitation.digest), Data(invitation.person)])
      guard database.changesCount == 1 else { return false }
      guard person.deviceCount < person.quota.devices else {
        throw LogError.overQuota(
          devices: UInt64(person.quota.devices), used: UInt64(person.deviceCount))
      }
      try Row.insert(device, in: database)
      return true
    }
  }

  package func revoke(_ id: HubAccess.ID, of person: StoreID) async throws -> Bool {
    try await people.write { database in
      try Row.require(person, in: database)
      try database.execute(
        sql: "DELETE FROM access WHERE store = ? AND substr(digest, 1, ?) = ?",
        arguments: [Data(person), HubAccess.idByteCount, Data(id)])
      return database.changesCount > 0
    }
  }
}

// MARK: - Rows

extension Row {
  /// Selects the columns of a person.
  private static let people = """
    SELECT store, byteQuota, deviceQuota, (
      SELECT count(*) FROM access WHERE access.store = person.store AND kind = 'device'
    ) AS deviceCount FROM person
    """ + " "

  /// Returns people without the sizes of their logs, in ascending order of IDs.
  static func people(
    after previous: StoreID?, limit: Int, in database: Database
  ) throws -> [HubPerson] {
    try fetchAll(
      database, sql: people + "WHERE store > ? AND NOT isErasing ORDER BY store LIMIT ?",
      arguments: [previous.map { Data($0) } ?? Data(), limit]
    ).map { try HubPerson($0) }
  }

  /// Returns the people whose erasure has not ended.
  static func erasing(in database: Database) throws -> [StoreID] {
    try fetchAll(database, sql: "SELECT store FROM person WHERE isErasing").map { try $0.store() }
  }

  /// Returns a person without the sizes of the log; nil if there is none.
  static func person(_ person: StoreID, in database: Database) throws -> HubPerson? {
    try fetchOne(
      database, sql: people + "WHERE store = ? AND NOT isErasing", arguments: [Data(person)]
    ).map { try HubPerson($0) }
  }

  /// Returns a person.
  ///
  /// - Throws: `notFound`.
  @discardableResult
  static func require(_ person: StoreID, in database: Database) throws -> HubPerson {
    guard let found = try Self.person(person, in: database) else { throw LogError.noPerson(person) }
    return found
  }

  static func access(
    _ kind: HubAccess.Kind, digest: [UInt8], in database: Database
  ) throws -> HubAccess? {
    try fetchOne(
      database,
      sql: "SELECT access.* FROM access JOIN person USING (store) "
        + "WHERE digest = ? AND kind = ? AND NOT isErasing",
      arguments: [Data(digest), kind.rawValue]
    ).map { try HubAccess($0) }
  }

  static func insert(_ access: HubAccess, in database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO access (digest, store, kind, role, name, since, expires, keys)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
        """,
      arguments: [
        Data(access.digest), Data(access.person), access.kind.rawValue, access.role, access.name,
        access.since.milliseconds, access.expires?.milliseconds,
        access.keys,
      ])
  }

  /// Reads the ID in the column `store`.
  fileprivate func store() throws -> StoreID {
    let bytes: Data = self["store"]
    guard bytes.count == 16 else {
      throw LogError(code: .corrupt, message: "a row of the people has no valid ID")
    }
    return bytes.withUnsafeBytes { StoreID(loading: $0) }
  }
}

extension HubPerson {
  fileprivate init(_ row: Row) throws {
    let (bytes, devices, count): (Int64, Int, Int) = (
      row["byteQuota"], row["deviceQuota"], row["deviceCount"]
    )
    self.init(
      try row.store(), deviceCount: count,
      quota: HubQuota(bytes: UInt64(clamping: bytes), devices: devices))
  }
}

extension HubAccess {
  fileprivate init(_ row: Row) throws {
    let (digest, kind): (Data, String) = (row["digest"], row["kind"])
    guard digest.count == 32, let kind = Kind(rawValue: kind) else {
      throw LogError(code: .corrupt, message: "a row of the devices cannot be read")
    }
    let expires: Int64? = row["expires"]
    self.init(
      kind, of: try row.store(), digest: [UInt8](digest), role: row["role"], name: row["name"],
      since: Instant(milliseconds: row["since"]),
      expires: expires.map { Instant(milliseconds: $0) }, keys: row["keys"])
  }
}
#endif
