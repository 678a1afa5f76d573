#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import HTTPTypes
import Hummingbird

extension StoreRouter {
  /// Adds the routes of what happened to notifications.
  func addReceipts() {
    on(.get, "receipts", query: ["habit", "state", "after", "limit"]) { asked in
      let habit = try asked.parameter("habit").map { text -> HabitID in
        guard let id = HabitID(text) else { throw Problem.invalid("habit", text, "an ID") }
        return id
      }
      let states = try asked.parameter("state").map { text -> Set<Receipt.State> in
        if text == "all" { return Set(Receipt.State.allCases) }
        guard let state = Receipt.State(rawValue: text) else {
          let names = Receipt.State.allCases.map(\.rawValue) + ["all"]
          throw Problem.invalid("state", text, "one of \(names.joined(separator: ", "))")
        }
        return [state]
      }
      let page = try await ReceiptsDocument(
        asked.store, limit: try asked.integer("limit", in: 1...ReceiptsDocument.maxPage) ?? 100,
        in: states ?? ReceiptsDocument.happened, of: habit, after: asked.parameter("after"),
        asked.time)
      return Answer(page.json.merging(["next": .text(page.next)]))
    }
    on(.post, "receipts") { asked in
      var document = try await asked.document()
      guard let key = try document.text("key") else {
        throw Problem.malformed(
          "key is missing", hint: "give the ID of the notification, as pending and ingest answer it"
        )
      }
      let (state, action) = (try document.text("state"), try document.text("action"))
      let (text, minutes) = (try document.text("text"), try document.integer("minutes"))
      try document.finish()
      let id = NotificationID(key)
      switch (state, action.map(ResponseAction.init)) {
      case (let state?, nil):
        guard text == nil, minutes == nil else {
          throw Problem.malformed("text and minutes belong to an action")
        }
        let recorded = try await asked.store.recordReceipt(
          StoreRequest.receiptState(state), of: id)
        return Answer(recorded.written, recorded.json(key: key))
      case (nil, let action?):
        guard minutes == nil || action == .snooze else {
          throw Problem.malformed("minutes belongs to the action snooze")
        }
        let recorded = try await asked.store.respond(
          to: id, action: action, text: text,
          snoozeFor: try minutes.map(StoreRequest.snooze) ?? Store.defaultSnooze)
        return Answer(recorded.written, recorded.json(key: key))
      default:
        throw Problem.malformed(
          "one of state and action is required",
          hint: "give the state delivered, opened or dismissed, or what the person answered")
      }
    }
  }
}

extension StoreRequest {
  /// Returns a state that a client records.
  fileprivate static func receiptState(_ text: String) throws -> ReceiptState {
    let states: [ReceiptState] = [.delivered, .opened, .dismissed]
    guard let state = states.first(where: { $0.rawValue == text }) else {
      throw Problem.invalid("state", text, "one of delivered, opened and dismissed")
    }
    return state
  }
}
#endif
