#if Service
import CarillonHub
import CarillonModel
import CarillonTestSupport
import Testing

extension HubConformance {
  static func invitations(_ one: any HubDatabase, _ other: any HubDatabase) async throws {
    let (person, device) = try await Self.person(in: one)
    let (neighbour, _) = try await Self.person(in: one)
    let soon = Instant(milliseconds: noon.milliseconds + 1)
    let limit = HubAccess.maxInvitations
    let open = (0..<limit).map { entry(.invitation, of: person, expires: $0 == 0 ? soon : nil) }
    for invitation in open { try await one.add(invitation, at: noon) }
    let more = entry(.invitation, of: person)
    for database in [one, other] {
      let error = await #expect(throws: LogError.self) { try await database.add(more, at: noon) }
      #expect(error?.code == .full && error?.hint != nil)
      #expect(error?.message.contains("at most \(limit) are allowed") == true)
    }
    // A call whose outcome was unknown succeeds again.
    try await other.add(open[1], at: noon)
    #expect(try await other.access(of: person, includingKeys: true).count == limit + 1)
    try await other.add(entry(.invitation, of: neighbour), at: noon)
    // Room comes from one that expires, is revoked or is used.
    try await other.add(more, at: soon)
    #expect(try await one.revoke(more.id, of: person))
    try await one.add(entry(.invitation, of: person), at: soon)
    #expect(try await one.exchange(open[1], for: entry(.device, of: person)))
    try await other.add(entry(.invitation, of: person), at: soon)
    let code = try await logErrorCode {
      try await other.add(entry(.invitation, of: person), at: soon)
    }
    #expect(code == .full)
    #expect(try await one.access(.device, digest: device.digest) == device)
  }

  static func keys(_ one: any HubDatabase, _ other: any HubDatabase) async throws {
    let (person, device) = try await Self.person(in: one)
    let (sealed, plain) = (
      entry(.invitation, of: person, keys: "AAAA"), entry(.invitation, of: person)
    )
    for invitation in [sealed, plain] { try await one.add(invitation, at: noon) }
    let list = try await other.access(of: person, includingKeys: false)
    #expect(Set(list.map(\.id)) == [device.id, sealed.id, plain.id])
    #expect(list.allSatisfy { $0.keys == nil })
    #expect(
      Set(try await other.access(of: person, includingKeys: true)) == [device, sealed, plain])
    #expect(try await other.access(.invitation, digest: sealed.digest) == sealed)
  }
}
#endif
