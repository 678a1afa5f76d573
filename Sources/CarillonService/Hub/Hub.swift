#if Service
import Carillon
package import CarillonAccess
package import CarillonHub
package import CarillonModel
import CarillonSync
import HTTPTypes

/// What the routes of a hub share: the database, behind its limits.
struct Hub: Sendable {
  let queue: HubQueue
  let obstacles: HubObstacles
  let clock: @Sendable () -> Instant
  private let database: any HubDatabase

  init(
    _ database: any HubDatabase, _ queue: HubQueue, _ obstacles: HubObstacles,
    clock: @escaping @Sendable () -> Instant
  ) {
    (self.database, self.queue, self.clock) = (database, queue, clock)
    self.obstacles = obstacles
  }

  /// Calls `body` with the database, as one of the requests that use the group of a person.
  ///
  /// - Parameter byteCount: The size of the request.
  /// - Throws: ``Problem``.
  func using<Result: Sendable>(
    groupOf person: StoreID, byteCount: Int = 0,
    _ body: @Sendable (any HubDatabase) async throws -> Result
  ) async throws -> Result {
    try await using(.group(database.group(of: person)), byteCount: byteCount, body)
  }

  /// Calls `body` with the database, as one of the requests that use a part of it.
  ///
  /// - Throws: ``Problem``.
  func using<Result: Sendable>(
    _ part: HubQueue.Part, byteCount: Int = 0,
    _ body: @Sendable (any HubDatabase) async throws -> Result
  ) async throws -> Result {
    do {
      let result = try await queue.run(
        part, byteCount: byteCount, reason: obstacles.current(in: part) ?? .silent
      ) { [database] in try await body(database) }
      obstacles.end(in: part) { !$0.allowsReads }
      return result
    } catch {
      guard let obstacle = note(error, in: part) else { throw Problem(hub: error) }
      throw Problem.busy(obstacle.rawValue, after: obstacle.retryAfter)
    }
  }

  /// Notes that events of a person were stored, so that nothing keeps the group from being written.
  func didStoreEvents(of person: StoreID) {
    obstacles.end(in: .group(database.group(of: person)))
  }

  /// Notes what keeps a part of the database from being written, and returns it; nil if that is not
  /// known.
  private func note(_ error: any Error, in part: HubQueue.Part) -> HubObstacle? {
    guard let error = error.ofHubDatabase, let obstacle = Self.obstacle(of: error) else {
      return nil
    }
    obstacles.note(obstacle, error.message, in: error.group.map { .group($0) } ?? part)
    return obstacle
  }

  /// What the operator must change after an error of the database; nil if that is not known.
  ///
  /// An error of SQLite is the cause of that of a full disk, and a full quota has no cause.
  private static func obstacle(of error: LogError) -> HubObstacle? {
    error.code == .full && error.cause != nil ? .fullDisk : error.obstacle
  }

  /// Returns people by the group of servers that holds their logs.
  func byGroup(_ people: Set<StoreID>) -> [Set<StoreID>] {
    Dictionary(grouping: people) { database.group(of: $0) }.values.map { Set($0) }
  }

  /// Returns the valid device of a secret and the log of its person, or nil if there is none.
  ///
  /// - Throws: ``Problem``.
  func device(_ secret: AccessSecret) async throws -> HubDevice? {
    let digest = secret.digestBytes
    let found = try await using(part(ofAccess: digest)) { try await $0.device(digest: digest) }
    return found.flatMap { $0.access.isValid(at: clock()) ? $0 : nil }
  }

  /// Returns the valid entry of a secret, or nil if there is none.
  ///
  /// - Throws: ``Problem``.
  func access(
    _ kind: HubAccess.Kind, _ secret: AccessSecret
  ) async throws -> HubAccess? {
    let digest = secret.digestBytes
    let found = try await using(part(ofAccess: digest)) {
      try await $0.access(kind, digest: digest)
    }
    return found.flatMap { $0.isValid(at: clock()) ? $0 : nil }
  }

  /// Returns whether a device still has access, by asking only the group of its person.
  ///
  /// - Throws: ``Problem``.
  func hasAccess(_ device: HubAccess) async throws -> Bool {
    do {
      let all = try await using(groupOf: device.person) { database in
        try await database.access(of: device.person, includingKeys: false)
      }
      return all.contains(device) && device.isValid(at: clock())
    } catch let problem as Problem where problem == .noCredential {
      return false
    }
  }

  private func part(ofAccess digest: [UInt8]) -> HubQueue.Part {
    database.group(ofAccess: digest).map { .group($0) } ?? .allGroups
  }

  /// Asks for the state of the groups, for health and numbers.
  func groups() async -> [HubGroup] {
    let groups = await database.groups()
    for group in groups {
      let part = HubQueue.Part.group(group.name)
      if let failure = group.failure {
        _ = note(failure, in: part)
      } else {
        obstacles.end(in: part) { $0.isFoundByLook }
      }
    }
    return groups
  }
}

extension HubAccess {
  /// Whether the entry has not ended.
  func isValid(at now: Instant) -> Bool { expires.map { now < $0 } ?? true }

  /// Creates what the database keeps of an entry.
  package init(_ entry: AccessEntry, of person: StoreID, secret: AccessSecret) {
    self.init(
      entry.kind == .invitation ? .invitation : .device, of: person, digest: secret.digestBytes,
      role: entry.role.rawValue, name: entry.name, since: entry.since, expires: entry.expires,
      keys: entry.keys)
  }

  /// The entry, or nil if a newer program has written its role.
  var entry: AccessEntry? {
    AccessRole(rawValue: role).map { role in
      AccessEntry(
        kind == .invitation ? .invitation : .device, digest: digest, name: name, role: role,
        since: since, expires: expires, keys: keys)
    }
  }
}

extension Error {
  /// The error of a hub's database, also if a sync ended with it; nil for others.
  var ofHubDatabase: LogError? { ((self as? SyncError)?.cause ?? self) as? LogError }
}

extension Problem {
  /// Creates the problem for an error of the database.
  ///
  /// What may or may not have happened is a refusal: the device repeats it.
  init(hub error: any Error) {
    if let problem = error as? Problem {
      self = problem
      return
    }
    guard let error = error.ofHubDatabase else {
      self.init((error as? SyncError)?.cause ?? error)
      return
    }
    switch error.code {
    case .busy where error.isMove:
      self = .busy("the person's shard is being moved to another database")
    case .busy, .closed, .unknownOutcome:
      self = .busy("the database is busy, or it is unknown whether the change was made")
    // For the operator, not a refusal of the device.
    case .readOnly: self = .busy(HubObstacle.readOnly.rawValue, after: .seconds(5))
    case .full: self = .full(error.message.withoutDirectories, hint: error.hint ?? Self.quotaHint)
    case .notFound: self = .noCredential
    default: self.init(StoreError(translating: error))
    }
  }

  private static let quotaHint = "ask the operator of the hub for a larger quota"

  private static func full(_ detail: String, hint: String) -> Problem {
    Problem(
      .init(code: 507, reasonPhrase: "Insufficient Storage"),
      code: LogError.Code.full.rawValue, detail: detail, hint: hint)
  }

  /// A request that may succeed later.
  static func busy(
    _ detail: String, after wait: Duration = .seconds(1),
    hint: String = "try again; the device keeps its events"
  ) -> Problem {
    // Devices that were refused together come back apart.
    let seconds = Int((wait / .seconds(1)).rounded(.up)) + .random(in: 0...2)
    return Problem(
      .serviceUnavailable, code: "busy", detail: detail, hint: hint, retryAfter: max(1, seconds))
  }
}
#endif
