#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import HTTPTypes
import Hummingbird

extension StoreRouter {
  /// Adds the routes for items of other services, and for remote notifications.
  func addIntake() {
    on(.post, "ingest") { asked in
      var document = try await asked.document(maxBytes: StoreRequest.maxListBytes)
      guard let source = try document.text("source"), let listed = try document.list("items") else {
        throw Problem.malformed("source and items are required")
      }
      let wake = try document.text("wake").map { text -> WakeFinished.Reason in
        guard let reason = WakeFinished.Reason(rawValue: text) else {
          let names = WakeFinished.Reason.allCases.map(\.rawValue)
          throw Problem.invalid("wake", text, "one of \(names.joined(separator: ", "))")
        }
        return reason
      }
      try document.finish()
      let items = try listed.enumerated().map { index, value in
        do throws(ModelError) {
          return try FetchedItem(value)
        } catch {
          throw Problem.invalidValue("items: item \(index + 1): \(error.message)")
        }
      }
      do throws(StoreError) {
        return Answer(try await asked.store.ingest(items, from: source, wake: wake).json)
      } catch {
        guard let index = error.index else { throw error }
        throw Problem.invalidValue("items: item \(index + 1): \(error.message)", hint: error.hint)
      }
    }
    on(.post, "push", query: ["collapseId"]) { asked in
      let intake = try await asked.withBody(atMost: PushReceived.maxContentBytes) { content in
        try await asked.store.receive(content, collapseID: asked.parameter("collapseId"))
      }
      return Answer(intake.json)
    }
  }
}
#endif
