#if Service
import CarillonHub
import CarillonLog
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Testing

/// The rules of the port of a hub's database.
struct HubConformance: Sendable, CustomStringConvertible {
  /// Opens the same database again, as another process does.
  typealias Open = @Sendable () throws -> any HubDatabase

  let description: String
  private let body: @Sendable (any HubDatabase, any HubDatabase) async throws -> Void

  private init(
    _ description: String,
    _ body: @escaping @Sendable (any HubDatabase, any HubDatabase) async throws -> Void
  ) {
    (self.description, self.body) = (description, body)
  }

  /// Runs the check in two processes' place, on a database without people.
  func run(_ open: Open) async throws {
    let (one, other) = (try open(), try open())
    do {
      try await body(one, other)
    } catch {
      await one.close()
      await other.close()
      throw error
    }
    await one.close()
    await other.close()
  }

  static let checks = [
    HubConformance("people are added once, and listed in pages", people),
    HubConformance("a call about nobody is refused", nobody),
    HubConformance("of many callers of one invitation, one gets a device", races),
    HubConformance("the quota of devices is kept, and the invitation stays", devices),
    HubConformance("the quota of bytes is kept inside the append", bytes),
    HubConformance("expired invitations are removed, and revoked devices are gone", access),
    HubConformance("a person has 32 invitations at most that have not expired", invitations),
    HubConformance("the keys of invitations are read only if they are asked for", keys),
    HubConformance("devices are found with the newest state of their person's log", found),
    HubConformance("an erased person is gone everywhere, and does not come back", erasure),
    HubConformance("the list of erased people is read in pages, and can be extended", erased),
    HubConformance("each process sees the news of the other", news),
    HubConformance("people do not see each other", isolation),
    HubConformance("erased payloads are dropped, also if they arrive later", erasures),
  ]

  // MARK: - Values

  static let noon = Instant(milliseconds: 1_790_000_000_000)

  static func entry(
    _ kind: HubAccess.Kind, of person: StoreID, expires: Instant? = nil, keys: String? = nil
  ) -> HubAccess {
    HubAccess(
      kind, of: person, digest: PayloadDigest(StoreID.random().bytes).bytes, role: "watch",
      name: kind == .device ? "a watch" : nil, since: noon, expires: expires, keys: keys)
  }

  /// Adds a person with a device.
  static func person(
    in database: any HubDatabase, quota: HubQuota = HubQuota()
  ) async throws -> (StoreID, HubAccess) {
    let person = StoreID.random()
    try await database.add(person, quota: quota)
    let (invitation, device) = (entry(.invitation, of: person), entry(.device, of: person))
    try await database.add(invitation, at: noon)
    #expect(try await database.exchange(invitation, for: device))
    return (person, device)
  }

  /// Appends events to the log of a person.
  static func append(
    _ run: EventRun, to person: StoreID, in database: any HubDatabase
  ) async throws {
    _ = try await database.log(of: person).append([run], wallClock: noon, erasures: nil)
  }

  static func random(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in .random(in: .min ... .max) }
  }

  // MARK: - Checks

  private static func people(_ one: any HubDatabase, _ other: any HubDatabase) async throws {
    let all = (0..<7).map { _ in StoreID.random() }.sorted()
    for (number, person) in all.enumerated() {
      try await one.add(person, quota: HubQuota(bytes: 1 << 24, devices: number))
    }
    let again = try await logErrorCode { try await other.add(all[3], quota: HubQuota()) }
    #expect(again == .alreadyExists)
    var found: [HubPerson] = []
    while true {
      let page = try await other.people(after: found.last?.id, limit: 3)
      #expect(page.count <= 3)
      guard !page.isEmpty else { break }
      found += page
    }
    #expect(found.map(\.id) == all)
    #expect(found.map(\.quota.devices) == Array(0..<7))
    #expect(found.allSatisfy { $0.eventCount == 0 && $0.deviceCount == 0 })
    var visited: [StoreID] = []
    try await other.forEachPerson { visited.append($0.id) }
    #expect(visited == all)
    try await one.setQuota(HubQuota(bytes: 5, devices: 2), of: all[1])
    #expect(try await other.person(all[1])?.quota == HubQuota(bytes: 5, devices: 2))
  }

  private static func nobody(_ one: any HubDatabase, _ other: any HubDatabase) async throws {
    let nobody = StoreID.random()
    #expect(try await one.person(nobody) == nil)
    #expect(try await one.access(.device, digest: entry(.device, of: nobody).digest) == nil)
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await one.log(of: nobody) }, { try await one.setQuota(HubQuota(), of: nobody) },
      { _ = try await one.compact(nobody) }, { _ = try await one.erase(nobody) },
      { _ = try await one.access(of: nobody, includingKeys: true) },
      { try await one.add(entry(.invitation, of: nobody), at: noon) },
      {
        _ = try await one.exchange(
          entry(.invitation, of: nobody), for: entry(.device, of: nobody))
      },
      { _ = try await one.revoke(Array(repeating: 1, count: 8), of: nobody) },
    ]
    for call in calls { #expect(try await logErrorCode(call) == .notFound) }
    let code = try await logErrorCode { try await one.move(0, to: "no such group") }
    #expect(code == .notFound)
  }

  private static func races(_ one: any HubDatabase, _ other: any HubDatabase) async throws {
    let (person, _) = try await Self.person(in: one)
    for _ in 0..<5 {
      let invitation = entry(.invitation, of: person)
      try await one.add(invitation, at: noon)
      let devices = (0..<8).map { _ in entry(.device, of: person) }
      let winners = try await withThrowingTaskGroup(of: HubAccess?.self) { group in
        for (number, device) in devices.enumerated() {
          group.addTask {
            let database = number.isMultiple(of: 2) ? one : other
            return try await database.exchange(invitation, for: device) ? device : nil
          }
        }
        return try await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
      }
      #expect(winners.count == 1)
      for device in devices {
        let found = try await other.access(.device, digest: device.digest)
        #expect(found == (winners.contains(device) ? device : nil))
      }
    }
    #expect(try await other.person(person)?.deviceCount == 6)
  }

  private static func devices(_ one: any HubDatabase, _ other: any HubDatabase) async throws {
    let (person, _) = try await Self.person(in: one, quota: HubQuota(devices: 1))
    let (invitation, device) = (entry(.invitation, of: person), entry(.device, of: person))
    try await one.add(invitation, at: noon)
    let error = await #expect(throws: LogError.self) {
      _ = try await one.exchange(invitation, for: device)
    }
    #expect(error?.code == .full)
    #expect(
      error?.message
        == "a further device does not fit into the quota of devices, which is 1; the store has 1 "
        + "device, and the invitation was not used")
    #expect(try await other.access(.invitation, digest: invitation.digest) == invitation)
    try await other.setQuota(HubQuota(devices: 2), of: person)
    #expect(try await one.exchange(invitation, for: device))
    #expect(try await one.access(.invitation, digest: invitation.digest) == nil)
  }

  private static func bytes(_ one: any HubDatabase, _ other: any HubDatabase) async throws {
    let (person, _) = try await Self.person(in: one, quota: HubQuota(bytes: 512 << 10))
    var history = EventHistory(.random())
    try await append(history.run([random(10_000)]), to: person, in: one)
    let before = try #require(try await other.person(person))
    #expect(before.eventCount == 1)
    #expect(before.byteCount > 10_000)
    let large = history.run((0..<64).map { _ in random(16_000) })
    for database in [one, other] {
      let code = try await logErrorCode { try await append(large, to: person, in: database) }
      #expect(code == .full)
    }
    #expect(try await one.person(person)?.eventCount == 1)
    #expect(try await one.log(of: person).lastPosition().rawValue == 1)
    try await other.setQuota(HubQuota(bytes: 4 << 20), of: person)
    try await append(large, to: person, in: one)
    let after = try #require(try await other.person(person))
    #expect(after.eventCount == 65)
    #expect(after.byteCount > 1_000_000)
    // What is over a smaller quota stays.
    try await other.setQuota(HubQuota(bytes: 1_000), of: person)
    #expect(try await one.log(of: person).lastPosition().rawValue == 65)
    let small = history.run([random(1)])
    for bytes in [after.byteCount, 1_000, 0] {
      try await other.setQuota(HubQuota(bytes: bytes), of: person)
      let used = try #require(try await one.person(person)).byteCount
      let error = await #expect(throws: LogError.self) {
        try await append(small, to: person, in: one)
      }
      #expect(error?.code == .full)
      #expect(
        error?.message
          == "the new events do not fit into the quota of bytes, which is \(bytes); the log uses "
          + "\(used), and the events stay on the device")
    }
    try await other.setQuota(HubQuota(), of: person)
    try await append(small, to: person, in: one)
  }

  private static func access(_ one: any HubDatabase, _ other: any HubDatabase) async throws {
    let (person, device) = try await Self.person(in: one)
    let (soon, late) = (
      entry(.invitation, of: person, expires: noon), entry(.invitation, of: person)
    )
    try await one.add(soon, at: Instant(milliseconds: noon.milliseconds - 1))
    #expect(try await other.access(.invitation, digest: soon.digest) == soon)
    try await other.add(late, at: noon)
    #expect(try await one.access(.invitation, digest: soon.digest) == nil)
    #expect(try await one.access(.device, digest: late.digest) == nil)
    #expect(Set(try await one.access(of: person, includingKeys: true)) == [device, late])
    #expect(try await one.revoke(device.id, of: person))
    #expect(try await !other.revoke(device.id, of: person))
    #expect(try await other.access(.device, digest: device.digest) == nil)
    #expect(try await other.access(of: person, includingKeys: true) == [late])
  }

  private static func found(_ one: any HubDatabase, _ other: any HubDatabase) async throws {
    var people: [(StoreID, HubAccess)] = []
    for _ in 0..<6 { people.append(try await Self.person(in: one)) }
    for (number, (person, _)) in people.enumerated() where number > 0 {
      var history = EventHistory(.random())
      for round in 1...3 {
        try await append(history.run(count: number), to: person, in: round == 2 ? other : one)
      }
    }
    for database in [one, other, one] {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, (person, access)) in people.enumerated() {
          group.addTask {
            let device = try #require(try await database.device(digest: access.digest))
            #expect(device.access == access)
            #expect(device.person == person && device.log.storeID == person)
            #expect(device.branches.map(\.headSequence.rawValue).first ?? 0 == UInt64(3 * number))
          }
        }
        try await group.waitForAll()
      }
    }
    let (person, access) = people[1]
    #expect(try await one.revoke(access.id, of: person))
    #expect(try await other.device(digest: access.digest) == nil)
    let invitation = entry(.invitation, of: person)
    try await one.add(invitation, at: noon)
    #expect(try await one.device(digest: invitation.digest) == nil)
  }

  private static func erasure(_ one: any HubDatabase, _ other: any HubDatabase) async throws {
    let (person, device) = try await Self.person(in: one)
    let (kept, keptDevice) = try await Self.person(in: one)
    var history = EventHistory(.random())
    let run = history.run(count: 20)
    for person in [person, kept] { try await append(run, to: person, in: one) }
    let open = try await other.log(of: person)
    let erasure = try await one.erase(person)
    #expect(erasure.tables.contains { $0.rowsBefore > 0 })
    #expect(erasure.tables.allSatisfy { $0.rowsAfter == 0 })
    for database in [one, other] {
      #expect(try await database.person(person) == nil)
      #expect(try await database.access(.device, digest: device.digest) == nil)
      #expect(try await database.device(digest: device.digest) == nil)
      let (logged, added) = (
        try await logErrorCode { _ = try await database.log(of: person) },
        try await logErrorCode { try await database.add(person, quota: HubQuota()) }
      )
      #expect(logged == .notFound)
      #expect(added == .alreadyExists)
    }
    // A sync that was under way writes nothing any more.
    let next = history.run(count: 1)
    let code = try await logErrorCode {
      _ = try await open.append([next], wallClock: noon, erasures: nil)
    }
    #expect(code != nil)
    #expect(try await other.person(kept)?.eventCount == 20)
    #expect(try await other.access(.device, digest: keptDevice.digest) == keptDevice)
  }

  private static func erased(_ one: any HubDatabase, _ other: any HubDatabase) async throws {
    let people = (0..<7).map { _ in StoreID.random() }
    for person in people.prefix(3) {
      try await one.add(person, quota: HubQuota())
      _ = try await one.erase(person)
    }
    let digests = people.map { PayloadDigest($0.bytes).bytes }
    // Some are there already.
    try await other.addErased(Array(digests.dropFirst(2)))
    var found: [[UInt8]] = []
    while true {
      let page = try await one.erased(after: found.last, limit: 3)
      #expect(page.count <= 3)
      guard !page.isEmpty else { break }
      found += page
    }
    #expect(found == digests.sorted { $0.lexicographicallyPrecedes($1) })
    for person in people {
      #expect(try await one.isErased(person))
      let code = try await logErrorCode { try await one.add(person, quota: HubQuota()) }
      #expect(code == .alreadyExists)
    }
    #expect(try await !other.isErased(.random()))
  }

  private static func news(_ one: any HubDatabase, _ other: any HubDatabase) async throws {
    var people: Set<StoreID> = []
    for _ in 0..<3 { people.insert(try await Self.person(in: one).0) }
    let stranger = StoreID.random()
    var expected = Dictionary(uniqueKeysWithValues: people.map { ($0, LogPosition.start) })
    #expect(try await other.positions(of: people.union([stranger])) == expected)
    var history = EventHistory(.random())
    for person in people {
      let position = try #require(expected[person]).rawValue + 4
      try await append(history.run(count: 4), to: person, in: one)
      expected[person] = LogPosition(rawValue: position)
      history = EventHistory(.random())
      #expect(try await other.positions(of: people) == expected)
    }
    #expect(try await other.positions(of: []) == [:])
  }

  private static func isolation(_ one: any HubDatabase, _ other: any HubDatabase) async throws {
    let (first, device) = try await Self.person(in: one)
    let (second, _) = try await Self.person(in: one)
    var history = EventHistory(.random())
    let run = history.run(count: 30)
    try await append(run, to: first, in: one)
    #expect(try await other.log(of: second).lastPosition() == .start)
    #expect(try await other.log(of: second).storeID == second)
    try await append(run.slice(0..<5), to: second, in: other)
    #expect(try await one.log(of: first).lastPosition().rawValue == 30)
    #expect(try await one.log(of: second).lastPosition().rawValue == 5)
    #expect(try await !one.revoke(device.id, of: second))
    let invitation = entry(.invitation, of: first)
    try await one.add(invitation, at: noon)
    let stolen = HubAccess(
      .invitation, of: second, digest: invitation.digest, role: "watch", name: nil, since: noon,
      expires: nil)
    #expect(try await !one.exchange(stolen, for: entry(.device, of: second)))
    #expect(try await other.access(.invitation, digest: invitation.digest) == invitation)
  }
}
#endif
