import Carillon
import CarillonModel
import CarillonTesting
import Foundation
import Testing

/// Runs a body with a new store that may deliver notifications, and the stand-in of its system, at
/// 09:00 of a Monday in Berlin.
func withSystem(
  limit: Int = 64, _ body: (Store, StandInScheduler, ManualClock) async throws -> Void
) async throws {
  try await withStore { store, clock in
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    let system = StandInScheduler(clock: clock, zone: zone, limit: limit)
    try await store.setPermission(
      Permission(status: .authorized, options: [.alert, .sound, .badge]))
    try await store.setAlerts(true)
    try await body(store, system, clock)
  }
}

extension Store {
  /// Returns the payloads of all events after a position.
  func payloads(after position: LogPosition = .start) async throws -> [Payload] {
    try await history(after: position).reduce(into: []) { payloads, logged in
      if let payload = logged.payload { payloads.append(payload) }
    }
  }

  /// Returns all events, in order of arrival.
  func storedEvents() async throws -> [StoredEvent] {
    try await history().reduce(into: []) { $0.append($1.event) }
  }

  /// Returns the receipts after a position.
  func facts(after position: LogPosition = .start) async throws -> [ReceiptAdvanced] {
    try await payloads(after: position).compactMap {
      if case .receiptAdvanced(let receipt) = $0 { receipt } else { nil }
    }
  }
}

extension StandInScheduler {
  /// The times at which something fired, in RFC 3339 and UTC.
  var ringTimes: [String] { firings.map { $0.at.rfc3339(offsetSeconds: 0) } }

  /// Returns the IDs of the requests that it holds.
  func ids() -> Set<RequestID> { Set(scheduled().compactMap(\.id.request)) }
}
