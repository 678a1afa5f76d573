import Synchronization

/// The reports of a peer that its log has grown.
final class PeerNews: Sendable {
  /// A value for each report, of which a slow reader gets only the newest.
  let arrivals: AsyncStream<Void>
  private let arrival: AsyncStream<Void>.Continuation
  private let total = Atomic(0)

  init() {
    (arrivals, arrival) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// The number of reports.
  var count: Int { total.load(ordering: .acquiring) }

  /// Counts a report, or the end of the transport.
  func arrive() {
    total.add(1, ordering: .acquiringAndReleasing)
    arrival.yield()
  }
}
