#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import Foundation

/// The documents of the live stream of a store, computed once for all its streams.
actor LiveDocuments {
  /// The documents at one position of the log.
  struct Snapshot: Sendable {
    let position: LogPosition
    let documents: [Document]
    fileprivate let time: ContinuousClock.Instant
  }

  /// One document, with the name of its event.
  struct Document: Sendable {
    let name: String
    let text: String
    /// What differs if the document has news; the time at which it was computed is none.
    let news: String
  }

  /// How long a snapshot is used if the log does not grow.
  ///
  /// Time alone also changes what is pending.
  private static let age = Duration.seconds(5)

  private let store: Store
  private var latest: Snapshot?
  private var next: (position: LogPosition, snapshot: Task<Snapshot, any Error>)?

  init(_ store: Store) {
    self.store = store
  }

  /// Returns the documents, which include all events that the log has now.
  func snapshot() async throws -> Snapshot {
    let position = try store.lastPosition()
    if let latest, latest.position >= position, latest.time.duration(to: .now) < Self.age {
      return latest
    }
    if let next, next.position >= position { return try await next.snapshot.value }
    let task = Task { [store] in try await Self.snapshot(of: store, at: position) }
    next = (position, task)
    do {
      let snapshot = try await task.value
      latest = snapshot
      if next?.position == position { next = nil }
      return snapshot
    } catch {
      if next?.position == position { next = nil }
      throw error
    }
  }

  private static func snapshot(of store: Store, at position: LogPosition) async throws -> Snapshot {
    let time = LocalTime(zone: store.options.zone(), now: store.options.clock())
    let documents = [
      Document("pending", try await PendingDocument(store, time).json),
      Document("habits", try await HabitsDocument(store).json),
      Document("status", try await StatusDocument(store, time).json),
    ]
    return Snapshot(position: position, documents: documents, time: .now)
  }
}

extension LiveDocuments.Document {
  fileprivate init(_ name: String, _ json: JSON) {
    (self.name, text) = (name, json.description)
    guard case .object(var members) = json else {
      news = text
      return
    }
    members["asOf"] = nil
    news = JSON.object(members).description
  }
}
#endif
