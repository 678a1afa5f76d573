#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import HTTPTypes
import Hummingbird

extension StoreRouter {
  /// Adds the routes of what the device's system should hold, and of what it was given.
  func addPlan() {
    on(.get, "pending", query: ["limit", "days"], isShort: true) {
      [cache = routes.pending, reads = routes.reads] asked in
      try await cache.answer(
        asked.store, limit: try asked.integer("limit", in: PlanSettings.capacities),
        days: try asked.integer("days", in: PlanSettings.horizons)
      ) { plan in
        try await offEventLoop { try await reads.read(asked, plan) }
      }.document
    }
    read("plan") { asked in
      let pending = try await PendingDocument(asked.store, asked.time)
      let time = asked.time
      return Answer(
        pending.json.merging([
          "nextWakeHint": .text(time.rfc3339(pending.plan.nextWakeHint)),
          "submitted": .bool(try await asked.store.isSubmitted(pending.plan)),
        ]))
    }
    read("plan", method: .post) { asked in
      let system = try ReportedSystem(
        try await asked.document(maxBytes: StoreRequest.maxListBytes))
      let difference = try await asked.store.planDifference(from: system.pending)
      let isChanged = !difference.insertions.isEmpty || !difference.removals.isEmpty
      // A first comparison records nothing: what the system reports is repeated once it has the
      // plan.
      guard system.isChanged || !isChanged else { return Answer(difference.json(asked.time)) }
      let applied = try await asked.store.apply(to: system)
      let rest = try await asked.store.planDifference(from: system.pending)
      return Answer(
        rest.json(asked.time).merging([
          "badge": .integer(applied.badge),
          "coverageUntil": .text(asked.time.rfc3339(applied.coverageUntil)),
          "nextWakeHint": .text(asked.time.rfc3339(applied.nextWakeHint)),
        ]).merging(applied.written.json))
    }
  }
}
#endif
