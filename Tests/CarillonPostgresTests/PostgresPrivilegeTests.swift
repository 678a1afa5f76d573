#if Service
import CarillonHub
import CarillonModel
import Testing

@testable import CarillonPostgres

/// The privileges that the guide names for the role of a hub.
@Suite(
  .serialized, .disabled(if: PostgresServer.whyMissing != nil, PostgresServer.whyMissing))
struct PostgresPrivilegeTests {
  @Test("The owner of a database needs no other privilege", arguments: HubConformance.checks)
  func owner(_ check: HubConformance) async throws {
    let server = try PostgresServer.shared.get()
    let options = try server.newRole(in: server.newDatabase(connectionCount: 4))
    try server.run("ALTER DATABASE \(options.name) OWNER TO \(options.role)")
    try await check.run { try PostgresHub(options) }
  }

  @Test("In the database of another owner, the role must create in the schema, and own the tables")
  func others() async throws {
    let server = try PostgresServer.shared.get()
    let database = try server.newDatabase(connectionCount: 4)
    let options = try server.newRole(in: database)
    try server.run("REVOKE CREATE ON SCHEMA public FROM PUBLIC", in: database)
    try expectRefusal("permission denied for schema public") { _ = try PostgresHub(options) }
    try server.run("GRANT USAGE, CREATE ON SCHEMA public TO \(options.role)", in: database)
    let hub = try PostgresHub(options)
    let (person, _) = try await HubConformance.person(in: hub)
    #expect(try await hub.person(person)?.deviceCount == 1)
    // The number of standbys is not known to each role.
    #expect(await hub.groups().allSatisfy { $0.failure == nil && $0.copyCount == nil })
    try server.run("GRANT pg_monitor TO \(options.role)")
    #expect(await hub.groups().map(\.copyCount) == [0])
    await hub.close()
    let other = try server.newRole(in: database)
    try server.run("GRANT USAGE, CREATE ON SCHEMA public TO \(other.role)", in: database)
    try expectRefusal("permission denied for table migration") { _ = try PostgresHub(other) }
  }

  private func expectRefusal(_ said: String, _ body: () throws -> Void) throws {
    let error = #expect(throws: LogError.self) { try body() }
    #expect(error?.obstacle == .noPrivilege, "\(String(describing: error))")
    #expect(error?.message.hasSuffix(said) == true, "\(String(describing: error))")
  }
}
#endif
