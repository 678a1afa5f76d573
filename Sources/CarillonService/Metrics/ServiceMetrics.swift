#if Service
import CarillonModel
import HTTPTypes
package import Metrics
import Synchronization

/// The instruments of a service.
///
/// No label has values that clients choose.
package final class ServiceMetrics: Sendable {
  private let factory: any MetricsFactory
  /// Events that requests wrote, except those of a sync.
  let appended: Counter
  /// Events that the store held before, in batches and imports.
  let duplicate: Counter
  /// Batches that had been appended before.
  let repeated: Counter
  /// Batches that were refused.
  let refused: Counter
  /// The events of refused batches and imports.
  let refusedEvents: Counter
  /// The seconds that a write takes, with its commit.
  let commits: Timer
  /// Messages of syncs.
  let syncMessages: Counter
  let syncBytesReceived: Counter
  let syncBytesSent: Counter
  /// Messages of syncs that could not be answered.
  let syncErrors: Counter
  let openStreams: Gauge
  /// Lists of events and exports that are being read.
  let openDownloads: Gauge
  /// Connections that were closed because their clients did not read.
  package let stalled: Counter
  /// The timers of requests, which are many.
  private let requests = Mutex<[RequestLabels: Timer]>([:])
  /// When each peer sent its last message of a sync that was answered.
  private let lastSyncs = Mutex<[String: ContinuousClock.Instant]>([:])
  /// Requests that were refused because a hub's database was busy or did not answer.
  let hubRefused: Counter
  /// Requests that wait for a hub's database or use it.
  let hubRequests: Gauge
  private let position: Gauge
  private let lag: Gauge
  private let pending: Gauge
  private let secondsToNext: Gauge

  /// The descriptions of the instruments, by label.
  static let help = [
    "carillon_events_appended_total": "Events that requests wrote, except those of a sync.",
    "carillon_events_duplicate_total":
      "Events that the store held before, in batches and imports.",
    "carillon_batches_repeated_total": "Batches that had been appended before.",
    "carillon_batches_refused_total": "Batches that were refused.",
    "carillon_events_refused_total": "Events of batches and imports that were refused.",
    "carillon_commit_seconds": "Seconds that a write takes, with its commit.",
    "carillon_request_seconds": "Seconds until the beginning of the answer to a request.",
    "carillon_sync_messages_total": "Messages of syncs.",
    "carillon_sync_bytes_total": "Bytes in messages of syncs.",
    "carillon_sync_errors_total": "Messages of syncs that could not be answered.",
    "carillon_sync_age_seconds":
      "Seconds since the last message of a sync, by credential, after its first since the start.",
    "carillon_replica_age_seconds":
      "Seconds since the last event of a replica that the store holds.",
    "carillon_open_streams": "Streams that are open.",
    "carillon_open_downloads": "Lists of events and exports that are being read.",
    "carillon_stalled_connections_total": "Connections closed because their clients did not read.",
    "carillon_hub_refused_total":
      "Requests refused because the database was busy or did not answer.",
    "carillon_hub_requests": "Requests that wait for the database or use it.",
    "carillon_hub_group_usable": "Whether a group of servers can be used.",
    "carillon_log_position": "Position of the last event in the log.",
    "carillon_projection_lag_events": "Events by which the projections are behind the log.",
    "carillon_pending_requests": "Notification requests that should be scheduled.",
    "carillon_pending_next_seconds": "Seconds until the next notification.",
  ]

  package init(_ factory: any MetricsFactory) {
    self.factory = factory
    func counter(_ label: String, _ dimensions: [(String, String)] = []) -> Counter {
      Counter(label: label, dimensions: dimensions, factory: factory)
    }
    func gauge(_ label: String) -> Gauge { Gauge(label: label, factory: factory) }
    appended = counter("carillon_events_appended_total")
    duplicate = counter("carillon_events_duplicate_total")
    repeated = counter("carillon_batches_repeated_total")
    refused = counter("carillon_batches_refused_total")
    refusedEvents = counter("carillon_events_refused_total")
    commits = Timer(label: "carillon_commit_seconds", factory: factory)
    syncMessages = counter("carillon_sync_messages_total")
    syncBytesReceived = counter("carillon_sync_bytes_total", [("direction", "received")])
    syncBytesSent = counter("carillon_sync_bytes_total", [("direction", "sent")])
    syncErrors = counter("carillon_sync_errors_total")
    openStreams = gauge("carillon_open_streams")
    openDownloads = gauge("carillon_open_downloads")
    stalled = counter("carillon_stalled_connections_total")
    hubRefused = counter("carillon_hub_refused_total")
    hubRequests = gauge("carillon_hub_requests")
    position = gauge("carillon_log_position")
    lag = gauge("carillon_projection_lag_events")
    pending = gauge("carillon_pending_requests")
    secondsToNext = gauge("carillon_pending_next_seconds")
  }

  /// Records an answered request.
  ///
  /// - Parameter route: The pattern of the path; nil if there is no such route.
  func answered(
    _ method: HTTPRequest.Method, route: String?, _ status: HTTPResponse.Status, in time: Duration
  ) {
    let isKnown = [.get, .head, .post, .put, .patch, .delete].contains(method)
    let labels = RequestLabels(
      route: route ?? "none", method: isKnown ? method.rawValue : "other", status: status.code)
    requests.withLock { timers in
      if let timer = timers[labels] { return timer }
      let timer = Timer(
        label: "carillon_request_seconds",
        dimensions: [
          ("route", labels.route), ("method", labels.method), ("status", "\(labels.status)"),
        ], factory: factory)
      timers[labels] = timer
      return timer
    }.record(time)
  }

  /// Records an answered message of a sync.
  ///
  /// - Parameter peer: The ID of the credential; nil if the request had none.
  func synced(with peer: String?) {
    if let peer { lastSyncs.withLock { $0[peer] = .now } }
  }

  /// Records when a replica wrote the last of its events that a store holds.
  ///
  /// Unlike the age of a sync, it is also known after a restart.
  func report(lastEvent: Instant, of replica: ReplicaID, now: Instant) {
    Gauge(
      label: "carillon_replica_age_seconds", dimensions: [("replica", replica.description)],
      factory: factory
    ).record(Double(max(0, now.milliseconds - lastEvent.milliseconds)) / 1000)
  }

  /// Records whether a group of a hub can be used.
  func report(group: String, isUsable: Bool) {
    Gauge(label: "carillon_hub_group_usable", dimensions: [("group", group)], factory: factory)
      .record(isUsable ? 1 : 0)
  }

  /// Records what a store has at the time of a report.
  func report(position: UInt64, lag: UInt64, pending: Int, secondsToNext: Double?) {
    for (peer, time) in lastSyncs.withLock({ $0 }) {
      Gauge(label: "carillon_sync_age_seconds", dimensions: [("peer", peer)], factory: factory)
        .record(time.duration(to: .now) / .seconds(1))
    }
    self.lag.record(Int64(clamping: lag))
    self.position.record(Int64(clamping: position))
    self.pending.record(pending)
    // NaN, as a gauge without a value.
    self.secondsToNext.record(secondsToNext ?? .nan)
  }
}

/// The labels of the requests that a timer measures.
private struct RequestLabels: Hashable {
  let route: String
  let method: String
  let status: Int
}

extension Timer {
  /// Records a duration.
  func record(_ time: Duration) { recordSeconds(time / .seconds(1)) }

  /// Calls a closure, and records how long it took if it succeeds.
  func measuring<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    let start = ContinuousClock.now
    let result = try await body()
    record(start.duration(to: .now))
    return result
  }
}
#endif
