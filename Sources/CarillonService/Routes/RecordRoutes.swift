#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import HTTPTypes
import Hummingbird

extension StoreRouter {
  /// Adds the routes with which a person records what was done, skipped and noted.
  func addRecords() {
    on(.post, "habits/:habit/done", isShort: true) { asked in
      var document = try await asked.document()
      let day = try await asked.day(&document)
      let amount = try document.integer("amount").map(Amount.init(thousandths:))
      let (at, note) = (try document.instant("at"), try document.text("note"))
      try document.finish()
      if let at { try asked.requirePast(at) }
      let habit = try asked.habit
      let written = try await asked.store.markDone(
        habit, on: day, amount: amount, at: at, note: note)
      return Answer(written, of: habit, ["entry": .text(written.entry)])
    }
    on(.post, "habits/:habit/undo", isShort: true) { asked in
      var document = try await asked.document()
      let day = try await asked.day(&document)
      let all = try document.bool("all") ?? false
      try document.finish()
      let habit = try asked.habit
      let written =
        all
        ? try await asked.store.clear(habit, on: day) : try await asked.store.undo(habit, on: day)
      return Answer(written, of: habit)
    }
    on(.post, "habits/:habit/skip") { asked in
      var document = try await asked.document()
      guard let listed = try document.list("dates") else {
        let day = try await asked.day(&document)
        try document.finish()
        let habit = try asked.habit
        let written = try await asked.store.skip(habit, on: day)
        return Answer(written, of: habit, ["keptDone": .array(written.keptDone) { .text($0) }])
      }
      try document.finish()
      return try await asked.skip(listed)
    }
    on(.put, "habits/:habit/notes/:date", isShort: true) { asked in
      var document = try await asked.document()
      guard let value = document.take("text") else {
        throw Problem.malformed("text is missing", hint: "give the note, or null to remove it")
      }
      guard value == .null || value.isText else {
        throw Problem.malformed("text must be text or null, not \(value.kindName)")
      }
      try document.finish()
      let (habit, date) = (try asked.habit, try await asked.dateInPath())
      let note: String? = if case .text(let text) = value, !text.isEmpty { text } else { nil }
      let written = try await asked.store.setNote(note, of: habit, on: .date(date))
      return Answer(written, of: habit, ["note": .text(note)])
    }
  }
}

extension StoreRequest {
  /// Skips the dates of a list.
  fileprivate func skip(_ listed: [JSON]) async throws -> Answer {
    guard (1...Store.maxSkipped).contains(listed.count) else {
      throw Problem.invalidValue(
        "dates: has \(listed.count) elements; from 1 to \(Store.maxSkipped) are allowed")
    }
    var dates: Set<CivilDate> = []
    for value in listed {
      guard case .text(let text) = value else {
        throw Problem.malformed("dates must be a list of texts, not of \(value.kindName)")
      }
      dates.insert(try await date("dates", text))
    }
    let (written, new) = try await store.skip(try habit, dates: dates)
    return Answer(
      written,
      [
        "habit": .text(try habit), "count": .integer(dates.count), "newCount": .integer(new.count),
        "first": .text(dates.min()), "last": .text(dates.max()),
        "keptDone": .array(written.keptDone) { .text($0) },
      ])
  }

  /// Requires that a moment at which something was done is not in the future.
  func requirePast(_ at: Instant) throws {
    let time = time
    guard at > time.now else { return }
    throw Problem.invalidValue(
      "at: \(time.rfc3339(at)) is in the future; it is \(time.rfc3339(time.now)) now")
  }
}

extension JSON {
  fileprivate var isText: Bool { if case .text = self { true } else { false } }
}
#endif
