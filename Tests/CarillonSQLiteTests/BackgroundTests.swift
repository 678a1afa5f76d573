import CarillonModel
import CarillonSQLite
import CarillonTestSupport
import Testing

/// Wakes, registrations, pushes and imports: the greatest event wins, in any order of arrival.
struct BackgroundTests {
  private static let phone = ReplicaID(high: 7, low: 1)
  private static let watch = ReplicaID(high: 7, low: 2)

  @Test("The greatest event wins in any order of arrival")
  func registers() async throws {
    var history = History()
    try history.add(.wakeFinished(WakeFinished(reason: .fetch, result: .newData, newCount: 3)))
    try history.add(.wakeFinished(WakeFinished(reason: .push, result: .noData)))
    try history.add(.wakeFinished(WakeFinished(reason: .fetch, result: .failed)))
    try history.add(
      .wakeFinished(WakeFinished(reason: .fetch, result: .noData)), replica: Self.watch)
    let token = PushTokenSet(environment: "production", registration: .token([0, 255]))
    let failure = PushTokenSet(environment: "development", registration: .failure("no network"))
    try history.add(
      .pushTokenSet(PushTokenSet(environment: "production", registration: .failure("early"))))
    try history.add(.pushTokenSet(token))
    try history.add(.pushTokenSet(failure))
    let score = PushReceived(id: "score", kind: .alert, collapses: true, content: [2])
    try history.add(
      .pushReceived(PushReceived(id: "score", kind: .alert, collapses: true, content: [1])),
      replica: Self.watch)
    try history.add(.pushReceived(score))
    let hash = [UInt8](repeating: 5, count: 32)
    let imported = ImportFinished(source: "loop", fileHash: hash, counts: ["entries": 164])
    try history.add(
      .importFinished(ImportFinished(source: "loop", fileHash: hash, counts: [:])))
    try history.add(.importFinished(imported))
    for events in [history.events, history.events.reversed()] {
      try await Fixture.run(events) { fixture in
        let projections = try await fixture.open()
        try await projections.read { reader in
          let wakes = try reader.wakes(of: Self.phone)
          #expect(
            wakes == [
              WakeFinished(reason: .fetch, result: .failed),
              WakeFinished(reason: .push, result: .noData),
            ])
          #expect(
            try reader.wakes(of: Self.watch) == [WakeFinished(reason: .fetch, result: .noData)])
          #expect(try reader.pushTokens(of: Self.phone) == [failure, token])
          #expect(try reader.pushTokens(of: Self.watch) == [])
          #expect(try reader.pushRevision("score") == score.revision)
          #expect(try reader.pushRevision("other") == nil)
          #expect(try reader.wasImported(fileHash: hash))
          #expect(try !reader.wasImported(fileHash: [UInt8](repeating: 6, count: 32)))
        }
        await projections.close()
      }
    }
  }
}
