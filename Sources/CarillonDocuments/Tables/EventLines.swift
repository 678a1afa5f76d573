package import Carillon
import CarillonModel

/// All complete events, one JSON object per line, which another replica can import.
package enum EventLines {
  /// Calls a function with one line after the other.
  ///
  /// - Returns: The number of events of which only the ID is written, since their content is
  ///   damaged or missing.
  @discardableResult
  package static func write(
    _ store: Store, _ append: (String) async throws -> Void
  ) async throws -> Int {
    let names = try ReplicaNames(store)
    var missingCount = 0
    for try await logged in store.history() {
      if logged.event.isMissing { missingCount += 1 }
      let name = names[logged.event.replica]
      try await append(logged.json(name: name, exportingFrom: store.id).withoutControls + "\n")
    }
    return missingCount
  }
}
