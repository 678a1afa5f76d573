#if Service
import NIOCore

/// The limits of a service.
package struct ServiceLimits: Hashable, Sendable {
  /// The maximum number of bytes of a body with many values: a batch of events, or an import.
  package var bodyBytes = 16 << 20
  /// The maximum number of bytes of all bodies that are being received.
  package var allBodiesBytes = 64 << 20
  /// The maximum number of open connections.
  package var connections = 1_024
  /// The maximum number of open connections from an address of another computer.
  package var connectionsPerAddress = 64
  /// The maximum number of open streams.
  package var streams = 512
  /// The maximum number of lists and exports that are being read.
  package var downloads = 8
  /// The maximum number of answers that take long and are computed at a time.
  package var reads = max(2, System.coreCount)
  /// The maximum number of requests a second, of a credential and from an address.
  package var requests = 100
  /// The maximum number of requests a minute without a valid credential, from an address.
  package var failures = 60
  /// The time within which the first request of a connection begins.
  package var firstRequest = Duration.seconds(10)
  /// The time after which a client that does not read an answer is disconnected.
  package var stall = Duration.seconds(30)
  /// The time between two signs of life in a stream.
  package var heartbeat = Duration.seconds(15)

  /// The maximum number of requests that wait for a hub's database or use it, for each group of
  /// servers.
  package var hubRequests = 1_024
  /// The maximum number of their bytes.
  package var hubBytes = 16 << 20

  package init() {}
}
#endif
