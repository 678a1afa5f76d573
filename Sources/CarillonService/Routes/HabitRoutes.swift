#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import HTTPTypes
import Hummingbird

extension StoreRouter {
  /// Adds the routes of habits.
  func addHabits() {
    on(.get, "habits", query: ["archived", "deleted"]) { asked in
      let habits = try await HabitsDocument(
        asked.store, includingArchived: try asked.flag("archived"),
        includingDeleted: try asked.flag("deleted"))
      return Answer(habits.json, isTagged: true)
    }
    on(.post, "habits", query: ["again"]) { asked in
      var document = try await asked.document()
      let habit = try Habit(&document)
      let added = try await asked.store.add(habit, if: try asked.check(of: habit, isNew: true))
      let ids: JSON = [
        "habit": .text(added.id), "schedules": .array(added.schedules) { .text($0) },
      ]
      return Answer(added.written, ids, .created)
    }
    // Its statistics count all recorded dates.
    read("habits/:habit") { asked in
      let habit = try await asked.store.habit(asked.habit)
      return Answer(try await HabitDocument(asked.store, habit, asked.time).json)
    }
    on(.patch, "habits/:habit", query: ["again"]) { asked in
      var document = try await asked.document()
      let (id, changes) = (try asked.habit, try HabitChanges(document.rest()))
      let check = try changes.title.flatMap { title in
        try asked.check(of: Habit(id: id, title: title))
      }
      let written = try await asked.store.edit(id, if: check) { $0 = changes.applied(to: $0) }
      return Answer(written, ["habit": .text(id)])
    }
    on(.delete, "habits/:habit", query: ["erase"]) { asked in
      let id = try asked.habit
      guard try asked.flag("erase") else {
        return Answer(try await asked.store.delete(id), ["habit": .text(id)])
      }
      let report = try await asked.store.erase(.habit(id))
      return Answer(
        report.written, ["habit": .text(id), "erased": .integer(report.payloadCount)])
    }
    addHabitStates()
  }

  /// Adds the routes that archive and restore habits, and pause one or all of them.
  private func addHabitStates() {
    change("habits/:habit/archive") { try await $0.store.archive($1) }
    change("habits/:habit/unarchive", query: ["again"]) { asked, id in
      let habit = try await asked.store.habit(id)
      let check = try asked.check(of: habit, includingArchived: false)
      return try await asked.store.unarchive(id, if: habit.isArchived ? check : nil)
    }
    change("habits/:habit/restore", query: ["again"]) { asked, id in
      let habit = try await asked.store.habit(id)
      let check = try asked.check(of: habit)
      return try await asked.store.restore(id, if: habit.isDeleted ? check : nil)
    }
    change("habits/:habit/resume") { try await $0.store.resume($1) }
    on(.post, "habits/:habit/pause") { asked in
      let (id, dates) = (try asked.habit, try await asked.pause())
      let written = try await asked.store.pause(id, from: dates.first, to: dates.last)
      return Answer(written, ["habit": .text(id)])
    }
    on(.post, "pause") { asked in
      let dates = try await asked.pause()
      let written = try await asked.store.pauseAll(from: dates.first, to: dates.last)
      return Answer(written, ["habit": .null])
    }
    on(.post, "resume") { asked in
      try await asked.document().finish()
      return Answer(try await asked.store.resumeAll(), ["habit": .null])
    }
  }

  /// Adds a route that changes a habit and takes no members.
  private func change(
    _ path: RouterPath, query: Set<Substring> = [],
    _ body: @Sendable @escaping (StoreRequest, HabitID) async throws -> Written
  ) {
    on(.post, path, query: query) { asked in
      try await asked.document().finish()
      let id = try asked.habit
      return Answer(try await body(asked, id), ["habit": .text(id)])
    }
  }
}

extension StoreRequest {
  /// Returns the check that no other habit has a habit's title, and that a new one has an ID of its
  /// own; nil if a second habit of a title is allowed.
  fileprivate func check(
    of habit: Habit, includingArchived: Bool = true, isNew: Bool = false
  ) throws -> HabitsCheck? {
    let isAgain = try flag("again")
    return { habits in
      guard !isNew || !habits.contains(where: { $0.id == habit.id }) else {
        throw StoreError(
          code: .alreadyExists, message: "there is already a habit \(habit.id)",
          hint: "leave out the ID, or change the habit with PATCH")
      }
      guard !isAgain else { return }
      let others = habits.titled(habit.title, besides: habit.id)
      guard let other = others.first(where: { includingArchived || !$0.isArchived }) else { return }
      throw StoreError(
        code: .alreadyExists,
        message: "there is already a habit \"\(other.title)\""
          + (other.isArchived ? ", which is archived" : ""),
        hint: "give another title, or the parameter again=true for a second habit of this title")
    }
  }

  /// Returns the dates of a pause from the body.
  fileprivate func pause() async throws -> (first: HabitDate, last: CivilDate?) {
    var document = try await document()
    let first = try await date("from", of: &document)
    let last = try await date("to", of: &document)
    try document.finish()
    return (first.map(HabitDate.date) ?? .today, last)
  }
}
#endif
