#if Service
import CarillonHub
import CarillonLog
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Testing

@testable import CarillonPostgres

/// Acknowledgements while the server is killed, or has no standby.
@Suite(
  .serialized, .disabled(if: PostgresServer.whyMissing != nil, PostgresServer.whyMissing))
struct PostgresFaultTests {
  @Test(
    "Each event that was acknowledged before the server was killed is there once",
    .timeLimit(.minutes(30)))
  func killed() async throws {
    let server = try PostgresServer()
    let options = server.options
    let fixtures = try (0..<3).map { _ in try PostgresFixture(options) }
    let written = try await withThrowingTaskGroup(of: (Int, [EventRun]).self) { group in
      for (index, fixture) in fixtures.enumerated() {
        group.addTask {
          var history = EventHistory(ReplicaID.random())
          var written: [EventRun] = []
          for _ in 0..<150 {
            let run = history.run(count: 7)
            // What has no acknowledgement is sent again, as a device does.
            while try await logErrorCode({ _ = try await fixture.log.append(run) }) != nil {
              try await Task.sleep(for: .milliseconds(20))
            }
            written.append(run)
          }
          return (index, written)
        }
      }
      for _ in 0..<3 {
        try await Task.sleep(for: .milliseconds(200))
        try server.tell("kill")
        try server.tell("start")
      }
      return try await group.reduce(into: [Int: [EventRun]]()) { $0[$1.0] = $1.1 }
    }
    for (index, fixture) in fixtures.enumerated() {
      // The first call after the last kill may find a connection that ended with the server.
      while try await logErrorCode({ _ = try fixture.log.ids() }) == .busy {
        try await Task.sleep(for: .milliseconds(20))
      }
      let ids = try fixture.log.ids()
      #expect(ids.count == 150 * 7)
      #expect(Set(ids).count == ids.count)
      #expect(try #require(written[index]).allSatisfy { Set(ids).contains($0.lastID) })
    }
  }

  @Test("A database without copies is refused where the configuration asks for them")
  func copiesMissing() async throws {
    var options = try PostgresServer.shared.get().options
    options.requiresCopies = true
    let error = #expect(throws: LogError.self) { try PostgresPool(options) }
    #expect(error?.code == .busy && error?.obstacle == .noCopies, "\(String(describing: error))")
  }

  @Test("Without a standby the first append has an unknown outcome, and later ones are refused")
  func noStandby() async throws {
    let server = try PostgresServer(["wal_level=replica"])
    let standby = try PostgresServer(["primary_slot_name=''"], following: server)
    try server.run("ALTER SYSTEM SET synchronous_standby_names = '*'")
    try server.run("SELECT pg_reload_conf()")
    var options = server.options
    options.requiresCopies = true
    options.deadline = .seconds(2)
    var opened: PostgresFixture?
    while opened == nil { opened = try? PostgresFixture(options) }
    let fixture = try #require(opened)
    var history = EventHistory(ReplicaID.random())
    _ = try await fixture.log.append(history.run(count: 1))
    try standby.tell("stop")
    let run = history.run(count: 5)
    let begin = ContinuousClock.now
    // A further append would wait in the server as well, with the locks of its rows.
    for code in [LogErrorCode.unknownOutcome, .busy, .busy] {
      let error = await #expect(throws: LogError.self) { try await fixture.log.append(run) }
      #expect(error?.code == code && error?.obstacle == .noCopies, "\(String(describing: error))")
    }
    #expect(.now - begin < .seconds(6))
    #expect(try fixture.log.ids().count == 1)
    try standby.tell("start")
    while try await logErrorCode({ _ = try await fixture.log.append(run) }) != nil {}
    #expect(try fixture.log.ids().count == 6)
  }

  @Test("A warning during an append is no acknowledgement, also if the server says it is done")
  func cancelled() async throws {
    let server = try PostgresServer()
    let fixture = try PostgresFixture(server.options)
    try server.run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    try server.run("SELECT pg_reload_conf()")
    let canceller = Task {
      while !Task.isCancelled {
        try server.run(
          "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
        try await Task.sleep(for: .milliseconds(30))
      }
    }
    defer { canceller.cancel() }
    var history = EventHistory(ReplicaID.random())
    let run = history.run(count: 2)
    // The setting takes a moment to reach each process; from then on nothing is acknowledged.
    while try await logErrorCode({ _ = try await fixture.log.append(history.run(count: 1)) }) == nil
    {}
    for _ in 0..<3 {
      #expect(
        try await logErrorCode { _ = try await fixture.log.append(run) } == .unknownOutcome)
    }
  }
}
#endif
