package import CarillonModel
import CarillonSQLite

/// A short summary of a request for people.
package struct RequestSummary: Hashable, Sendable {
  /// The habit's title; for a digest, the titles of all its habits.
  package let title: String
  /// When it fires next, or fired; nil for a place.
  package let fireAt: Instant?
}

extension Store {
  /// Returns summaries of requests by ID: requests planned on this device recently, and occurrences
  /// around now.
  ///
  /// Other IDs are absent.
  ///
  /// - Complexity: O(ids); plus O(occurrences around now) if one of them was not planned on this
  ///   device.
  package func summaries(of ids: [RequestID]) async throws -> [RequestID: RequestSummary] {
    try await read { context in
      var known: [RequestID: RequestSummary] = [:]
      var unknown: Set<RequestID> = []
      for id in ids {
        if let planned = try context.reader.plannedRequest(id) {
          known[id] = RequestSummary(
            title: try context.title(of: planned), fireAt: planned.fireAt)
        } else if id.kind == .occurrence {
          unknown.insert(id)
        }
      }
      guard !unknown.isEmpty else { return known }
      let search = try context.search(
        over: context.reader.habits(), settings: self.planSettings(context))
      for (id, found) in search.occurrences(of: unknown) {
        known[id] = RequestSummary(
          title: try context.title(of: found.occurrence.habit), fireAt: found.instant)
      }
      return known
    }
  }
}

extension Context {
  /// Returns the title of a habit, which may be deleted; empty if the habit is unknown.
  fileprivate func title(of habit: HabitID) throws -> String {
    try reader.habit(habit)?.title ?? ""
  }

  fileprivate func title(of planned: PlannedRequest) throws -> String {
    if planned.id.kind == .openApp { return RequestContent.openingTitle }
    var titles: [String] = []
    for occurrence in [planned.occurrence] + planned.alsoRepresents {
      let title = try title(of: occurrence.habit)
      if !titles.contains(title) { titles.append(title) }
    }
    return titles.joined(separator: ", ")
  }
}
