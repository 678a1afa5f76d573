#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import HTTPTypes
import Hummingbird

extension StoreRouter {
  /// Adds the routes of what was recorded as done.
  func addEntries() {
    read("habits/:habit/entries", query: ["from", "to"]) { asked in
      let (from, to) = (try await asked.date("from"), try await asked.date("to"))
      let today = try await asked.store.today()
      let last = to ?? today
      let first = from ?? last.adding(days: -13)
      guard first <= last else {
        throw Problem.invalidValue("from: \(first) is after the last date, \(last)")
      }
      let habit = try await asked.store.habit(asked.habit)
      return Answer(
        try await EntriesDocument(asked.store, habit, in: first...last, asked.time).json)
    }
    on(.patch, "habits/:habit/entries/:entry") { asked in
      var document = try await asked.document()
      let amount = try document.integer("amount").map(Amount.init(thousandths:))
      let at = try document.instant("at")
      let date = try await asked.date("date", of: &document)
      let note = try document.note()
      try document.finish()
      if let at { try asked.requirePast(at) }
      let found = try await asked.entry()
      if at == nil, let source = found.source,
        try await asked.store.isTaken(date ?? found.date, for: found, from: source)
      {
        throw Problem.invalidValue(
          "date: \(date ?? found.date) has another imported entry without a time",
          hint: "give a time too, as the member at")
      }
      let changed = found.changed(date: date, amount: amount, at: at, note: note)
      let written = try await asked.store.replace(found, with: changed)
      return Answer(
        written, ["habit": .text(found.habit.id), "entry": .text(written.entry)])
    }
    on(.delete, "habits/:habit/entries/:entry") { asked in
      let found = try await asked.entry()
      let written = try await asked.store.replaceEntry(
        found.id, of: found.habit.id, on: found.date, with: nil)
      return Answer(written, ["habit": .text(found.habit.id)])
    }
  }
}

extension StoreRequest {
  /// Finds the entry that the path names.
  ///
  /// - Complexity: O(entries of the habit).
  fileprivate func entry() async throws -> FoundEntry {
    let id: EntryID = try id("entry")
    let habit = try await store.habit(habit)
    let entries = try await store.entries(of: habit, in: CivilDate.accepted)
    guard let entry = entries.first(where: { $0.id == id }) else {
      throw StoreError(
        code: .notFound, message: "there is no entry \(id) of the habit",
        hint: "list the habit's entries")
    }
    return entry
  }
}

extension RequestDocument {
  /// Takes a note; nil if it is absent, empty for null.
  fileprivate mutating func note() throws -> String? {
    switch take("note") {
    case nil: return nil
    case .null?: return ""
    case .text(let text)?: return text
    case let other?: throw Problem.malformed("note must be text or null, not \(other.kindName)")
    }
  }
}
#endif
