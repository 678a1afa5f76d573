#if Service
import Carillon
import CarillonDocuments
import CarillonHub
import CarillonModel
import CarillonSync
import HTTPTypes
import Hummingbird
import Metrics
import NIOCore

/// `/v1/sync` and `/v1/live` of a hub: answers the messages of a sync from the log alone, and
/// reports when the log grows.
///
/// There is no store and no projection: a hub reads payloads only to drop those that were erased.
/// It does not know the state, so an audit compares events only.
struct HubSyncRoutes {
  let hub: Hub
  let news: HubNews
  let limits: ServiceLimits
  let metrics: ServiceMetrics
  let streams: OpenStreams
  let bodies: ReceivedBodies
  /// The turns of audits, which read a whole log for a message of a few bytes.
  let audits: ExpensiveReads

  /// The most audits at a time, since each holds a thread and a connection to the database.
  static let maxAudits = 4

  func add(to group: some RouterMethods<ServiceContext>) {
    group.post("sync") { request, context in
      let device = try context.requireDevice()
      let (byteCount, answered) = try await bodies.with(
        request, atMost: SyncRoutes<ServiceContext>.maxBytes, for: device.access.person.description
      ) { message in
        (message.count, try await answer(to: message, of: device, on: context.channel))
      }
      let use = await byteUse(of: device)
      metrics.syncMessages.increment()
      metrics.syncBytesReceived.increment(by: byteCount)
      metrics.syncBytesSent.increment(by: answered.count)
      var headers: HTTPFields = [
        .contentType: "application/octet-stream", .cacheControl: "no-store",
      ]
      if let use, use.isNearQuota { headers[.carillonQuota] = use.field }
      return Response(
        status: .ok, headers: headers,
        body: .init(byteBuffer: ByteBuffer(bytes: answered)))
    }
    for path in ["sync", "live"] as [RouterPath] {
      group.get(path) { request, context in
        let device = try context.requireDevice()
        let content = HubNewsContent(device.person, news, heartbeat: limits.heartbeat)
        guard request.headers[values: .accept].contains("text/event-stream") else {
          let position = try await news.position(of: device.person)
          return Answer(content.document(at: position)).response(from: request, context: context)
        }
        return try EventStream(
          content: content, source: news.source(of: device.person), heartbeat: limits.heartbeat,
          stream: try streams.open(for: device.access.id.hexadecimal)
        ).response(to: request)
      }
    }
  }

  /// Returns the answer to a message of a client; an audit waits for its turn.
  ///
  /// - Parameter channel: The connection of the client; nil if it is not known.
  func answer(
    to message: [UInt8], of device: HubDevice, on channel: (any Channel)?
  ) async throws -> [UInt8] {
    guard SyncDriver.isAudit(message) else { return try await answer(to: message, of: device) }
    // Before the request counts as one that uses the database.
    return try await audits.withTurn(of: .person(device.person), on: channel) {
      try await answer(to: message, of: device)
    }
  }

  private func answer(to message: [UInt8], of device: HubDevice) async throws -> [UInt8] {
    do {
      let (answer, hasGrown) = try await hub.using(
        groupOf: device.person, byteCount: message.count
      ) { [hub] _ in
        let (messages, answered) = try await SyncDriver.answers(
          to: message, of: device.log,
          at: LogSnapshot(branches: device.branches, identity: device.identity),
          wallClock: hub.clock(), options: SyncOptions(), threads: device.threads)
        return (messages[0], answered.eventsReceived > 0)
      }
      if hasGrown {
        hub.didStoreEvents(of: device.person)
        news.logGrew(of: device.person)
      }
      return answer
    } catch {
      metrics.syncErrors.increment()
      throw error
    }
  }

  /// Returns the use of the quota; nil if it cannot be read, since the message is answered already.
  private func byteUse(of device: HubDevice) async -> ByteUse? {
    await withTaskExecutorPreference(device.threads) {
      (try? device.byteCount()).map { ByteUse($0, of: device.byteQuota) }
    }
  }
}

extension HTTPField.Name {
  fileprivate static let carillonQuota = unchecked("Carillon-Quota")
}

/// Where the log of a person is, as server-sent events.
struct HubNewsContent: EventStreamContent {
  let person: StoreID
  let news: HubNews
  let heartbeat: Duration
  private var last: LogPosition?

  init(_ person: StoreID, _ news: HubNews, heartbeat: Duration) {
    (self.person, self.news, self.heartbeat) = (person, news, heartbeat)
  }

  /// Returns the document for a position.
  func document(at position: LogPosition) -> JSON {
    SyncNews.document(of: person, at: position, heartbeat: heartbeat)
  }

  mutating func append(to writer: inout StreamWriter) async throws {
    let position = try await news.position(of: person)
    guard position != last else { return }
    last = position
    try await writer.append("data: \(document(at: position))\n\n")
  }
}
#endif
