#if Service
package import CarillonModel

/// The logs of many people and the devices that may sync them: what a hub needs of its storage.
///
/// Any number of processes may use one database. Each call sees what was committed before it, by
/// any process. A process may keep what it read only if the database confirms it on each use.
///
/// Every method throws `LogError`. `busy` means that nothing was done. After `unknownOutcome`, make
/// the same call again. A method that names a person throws `notFound` if there is none, unless
/// its documentation says otherwise.
package protocol HubDatabase: Sendable {
  // MARK: People

  /// Adds a person, whose log is empty.
  ///
  /// - Throws: `alreadyExists`.
  func add(_ person: StoreID, quota: HubQuota) async throws

  /// Returns a person, or nil if there is none.
  func person(_ person: StoreID) async throws -> HubPerson?

  /// Returns the first people after an ID, in ascending order of IDs.
  ///
  /// - Parameter previous: The last person of the page before; nil for the first page.
  func people(after previous: StoreID?, limit: Int) async throws -> [HubPerson]

  /// Changes the quota of a person. Devices and events that are over it stay.
  func setQuota(_ quota: HubQuota, of person: StoreID) async throws

  /// Removes a person with all events, devices and invitations, in one transaction or so that the
  /// same call finishes what a killed process has begun.
  ///
  /// The digest of the person's ID stays, so that the person is not added again.
  ///
  /// - Throws: `notFound`; `busy` while the person's shard is being moved, also if the move was
  ///   killed and has left a copy.
  func erase(_ person: StoreID) async throws -> HubErasure

  /// Finishes the erasures of processes that were killed.
  func finishErasures() async throws

  /// Returns whether a person was erased.
  func isErased(_ person: StoreID) async throws -> Bool

  /// Returns the digests of the first erased people after one, in ascending order.
  ///
  /// - Parameter previous: The last digest of the page before; nil for the first page.
  func erased(after previous: [UInt8]?, limit: Int) async throws -> [[UInt8]]

  /// Adds people who were erased in another database by the digests of their IDs.
  ///
  /// Those that are there already stay.
  func addErased(_ digests: [[UInt8]]) async throws

  /// Joins small rows of a person's log into larger ones, while devices sync.
  ///
  /// It can be interrupted at any moment.
  ///
  /// - Returns: The number of rows that are now part of others.
  func compact(_ person: StoreID) async throws -> Int

  /// Opens the log of a person, for one request.
  ///
  /// An append that would exceed the quota of bytes throws `full`, and appends nothing.
  ///
  /// The caller does not close the log. Its reads block the caller's thread.
  func log(of person: StoreID) async throws -> any EventLog

  // MARK: Access

  /// Adds an invitation, and removes the person's invitations that have expired.
  ///
  /// - Parameter limit: The maximum number of invitations of the person.
  /// - Throws: `full` if the person has as many other invitations.
  func add(_ invitation: HubAccess, at now: Instant, limit: Int) async throws

  /// Returns the device with a digest and its person's log, or nil if there is none.
  ///
  /// It may have expired. Each request calls it, so it should be one query.
  func device(digest: [UInt8]) async throws -> HubDevice?

  /// Returns the device or invitation with a digest, or nil if there is none.
  ///
  /// It may have expired. At most one person has an entry with a digest.
  func access(_ kind: HubAccess.Kind, digest: [UInt8]) async throws -> HubAccess?

  /// Returns all devices and invitations of a person, by time.
  ///
  /// They may have expired.
  ///
  /// - Parameter includesKeys: Whether to read the keys of invitations; nil in each entry if not.
  func access(of person: StoreID, includingKeys includesKeys: Bool) async throws -> [HubAccess]

  /// Replaces an invitation with a device of the same person, in one transaction.
  ///
  /// Of several calls with the same invitation, in any process, one succeeds.
  ///
  /// - Returns: False if there is no such invitation; nothing is added then.
  /// - Throws: `full` if the person has as many devices as the quota allows.
  func exchange(_ invitation: HubAccess, for device: HubAccess) async throws -> Bool

  /// Removes a device or an invitation of a person.
  ///
  /// - Returns: Whether there was one.
  func revoke(_ id: HubAccess.ID, of person: StoreID) async throws -> Bool

  // MARK: News

  /// Returns the position of the last event of each person. People who do not exist, or
  /// whose logs cannot be used, are absent.
  ///
  /// Processes call it once a second for all people whose devices wait for news. It must cost one
  /// query per group, whatever the number of people.
  func positions(of people: Set<StoreID>) async throws -> [StoreID: LogPosition]

  // MARK: Groups

  /// The name of the group of servers that holds a person's log, as far as this process knows.
  ///
  /// Only limits and numbers use it. It must return at once.
  func group(of person: StoreID) -> String

  /// The name of the group that holds the device or invitation with a digest; nil if this process
  /// does not know it.
  ///
  /// Only limits use it. It must return at once.
  func group(ofAccess digest: [UInt8]) -> String?

  /// Returns the state of each group.
  func groups() async -> [HubGroup]

  /// Returns all shards, in ascending order.
  func shards() async throws -> [HubShard]

  /// Moves a shard to another group while devices write.
  ///
  /// It can be interrupted at any moment; the same call then continues.
  ///
  /// - Throws: `notFound` for an unknown shard or group.
  func move(_ shard: Int, to group: String) async throws

  /// Removes a group that has no shard from the list of groups.
  ///
  /// - Returns: False if its database could not be asked whether it still has rows of people.
  /// - Throws: `notFound` for an unknown group; `invalidValue` if it has a shard, or rows of one
  ///   that is moving, or if it cannot be removed.
  func removeGroup(_ name: String) async throws -> Bool

  /// The ID of the hub, which does not change.
  var id: HubID { get }

  /// Returns whether hubs may use the database.
  ///
  /// A database that is opened with ``HubUse/shared`` is refused with the obstacle of any other
  /// state than `serving`, also later if it is opened again.
  func state() async throws -> HubState

  /// Sets whether hubs may use the database, which should be opened with ``HubUse/exclusive``.
  func setState(_ state: HubState) async throws

  /// Checks that no other process could use the database since it was opened, if it was opened with
  /// ``HubUse/exclusive``.
  ///
  /// - Throws: `busy` if that is not certain.
  func confirmUse() async throws

  /// Waits for what is being written, and closes all connections and files.
  func close() async
}

extension HubDatabase {
  /// Does nothing: an erasure in one transaction is never half done.
  package func finishErasures() async throws {}

  /// Adds an invitation with the limit ``HubAccess/maxInvitations``.
  package func add(_ invitation: HubAccess, at now: Instant) async throws {
    try await add(invitation, at: now, limit: HubAccess.maxInvitations)
  }

  /// Calls `body` with the database, and closes it.
  package func closing<Result>(
    _ body: (any HubDatabase) async throws -> Result
  ) async throws -> Result {
    do {
      let result = try await body(self)
      await close()
      return result
    } catch {
      await close()
      throw error
    }
  }

  /// Calls `body` with each person, in ascending order of IDs.
  ///
  /// Who is added meanwhile may be missed.
  package func forEachPerson(_ body: (HubPerson) async throws -> Void) async throws {
    var last: StoreID?
    while true {
      let page = try await people(after: last, limit: 256)
      for person in page { try await body(person) }
      guard let end = page.last?.id else { return }
      last = end
    }
  }
}

extension LogErrorCode {
  /// The commit was sent, and no acknowledgement that counts came back.
  ///
  /// Append the same runs again: an event that is there is not written twice.
  package static let unknownOutcome = Self(rawValue: "unknownOutcome")
}
#endif
