#if Service
import Carillon
import CarillonDocuments
import CarillonModel

/// The events of a store after a position, as JSON objects, in order of arrival.
struct EventHistory: Sendable {
  private let store: Store
  private var names: ReplicaNames
  /// The position of the last event that was written.
  private var last: LogPosition

  init(_ store: Store, after position: LogPosition) throws {
    (self.store, last) = (store, position)
    names = try ReplicaNames(store)
  }

  /// Writes the events that the log has now.
  ///
  /// - Parameters:
  ///   - limit: The most events.
  ///   - text: Returns the text of an event from its position and its JSON.
  mutating func write(
    to writer: inout StreamWriter, limit: Int = .max,
    as text: (_ position: UInt64, _ json: String) -> String
  ) async throws {
    var count = 0
    for try await logged in store.history(after: last) {
      let name = try names.name(of: logged.event.replica, in: store)
      try await writer.append(text(logged.position.rawValue, logged.json(name: name)))
      last = logged.position
      count += 1
      if count == limit { return }
    }
  }
}

extension EventHistory: EventStreamContent {
  mutating func append(to writer: inout StreamWriter) async throws {
    try await write(to: &writer) { "id: \($0)\ndata: \($1)\n\n" }
  }
}
#endif
