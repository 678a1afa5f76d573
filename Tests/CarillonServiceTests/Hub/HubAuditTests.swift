#if Service
import Carillon
import CarillonAccess
import CarillonHub
import CarillonHubFiles
import CarillonModel
import CarillonTestSupport
import Foundation
import HTTPTypes
import Logging
import Synchronization
import Testing

@testable import CarillonService

/// The turns of the audits that devices request of a hub.
struct HubAuditTests {
  private let directory: TemporaryDirectory
  private let hub: Hub
  private let routes: HubSyncRoutes

  init() throws {
    directory = try TemporaryDirectory()
    let (limits, metrics) = (ServiceLimits(), ServiceMetrics(PrometheusMetrics()))
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    hub = Hub(
      try FileHub(at: directory.appending("hub").path, creates: true),
      HubQueue(maxCount: limits.hubRequests, maxBytes: limits.hubBytes, metrics),
      HubObstacles(logger), clock: { Instant(milliseconds: 1_790_000_000_000) })
    routes = HubSyncRoutes(
      hub: hub, news: HubNews(hub, logger), limits: limits, metrics: metrics,
      streams: OpenStreams(maxCount: 1, noun: "stream", setting: "", metrics.openStreams),
      bodies: ReceivedBodies(limits),
      audits: ExpensiveReads(maxCount: 2))
  }

  /// A device of a person, and its first message with an audit and without one.
  private struct Asking {
    let device: HubDevice
    let audit: [UInt8]
    let hello: [UInt8]
  }

  private static func entry(
    _ kind: HubAccess.Kind, of person: StoreID, _ secret: AccessSecret
  ) -> HubAccess {
    HubAccess(
      kind, of: person, digest: secret.digestBytes, role: "phone", name: "phone",
      since: Instant(milliseconds: 1_790_000_000_000), expires: nil)
  }

  /// Keeps the first message of a sync, and ends it.
  private final class FirstMessage: SyncExchange {
    let message = Mutex<[UInt8]>([])

    func answer(to message: [UInt8]) async throws -> [UInt8] {
      self.message.withLock { $0 = message }
      throw CancellationError()
    }
  }

  private func addPerson() async throws -> Asking {
    let (person, secret) = (StoreID.random(), AccessSecret(byteCount: 32))
    let code = AccessSecret(byteCount: 16)
    let device = try await hub.using(groupOf: person) { database in
      try await database.add(person, quota: HubQuota())
      let invitation = Self.entry(.invitation, of: person, code)
      try await database.add(invitation, at: invitation.since)
      _ = try await database.exchange(invitation, for: Self.entry(.device, of: person, secret))
      return try await database.device(digest: secret.digestBytes)
    }
    let store = try await Store.create(
      at: directory.appending("\(person)"), replica: "phone", storeID: person)
    var messages: [[UInt8]] = []
    for audits in [true, false] {
      let first = FirstMessage()
      _ = try? await store.sync(through: first, options: SyncOptions(audits: audits))
      messages.append(first.message.withLock { $0 })
    }
    await store.close()
    return Asking(device: try #require(device), audit: messages[0], hello: messages[1])
  }

  @Test("Of the audits of a person, one runs, 16 wait and others are refused; nobody else waits")
  func share() async throws {
    let (one, other) = (try await addPerson(), try await addPerson())
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    async let running: Void = routes.audits.withTurn(of: .person(one.device.person)) {
      begin.finish()
      for await _ in ended {}
    }
    for await _ in begun {}
    let waiting = (0..<16).map { _ in
      Task { try await routes.answer(to: one.audit, of: one.device, on: nil) }
    }
    while routes.audits.waitingCount < 16 { try await Task.sleep(for: .milliseconds(1)) }
    let problem = await #expect(throws: Problem.self) {
      try await routes.answer(to: one.audit, of: one.device, on: nil)
    }
    #expect(problem?.status == .tooManyRequests && problem?.retryAfter == 1)
    #expect(problem?.detail.contains("of the person") == true)
    #expect(try await !routes.answer(to: one.hello, of: one.device, on: nil).isEmpty)
    for message in [other.hello, other.audit] {
      #expect(try await !routes.answer(to: message, of: other.device, on: nil).isEmpty)
    }
    end.finish()
    try await running
    for task in waiting { #expect(try await !task.value.isEmpty) }
  }
}
#endif
