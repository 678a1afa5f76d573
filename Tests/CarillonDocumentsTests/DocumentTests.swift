import Carillon
import CarillonDocuments
import CarillonModel
import Foundation
import Testing

/// Documents of a store whose habits are in every state.
struct DocumentTests {
  /// Monday, 2026-11-23, 12:00.
  private static let noon = Instant(milliseconds: 1_795_435_200_000)
  private static let time = LocalTime(zone: .gmt, now: noon)

  /// Calls a body with a store in memory, and closes the store.
  private func withStore(_ body: (Store) async throws -> Void) async throws {
    try await Store.inMemory(options: StoreOptions(clock: { Self.noon }, zone: { .gmt }))
      .closing(after: body)
  }

  private static func daily(
    _ title: String, at times: [TimeOfDay] = ["17:00"], unless: Schedule.Condition = .none
  ) -> Habit {
    Habit(title, Schedule(rule: .weekly(Set(Weekday.allCases)), times: times, unless: unless))
  }

  /// Adds habits that are archived, deleted, paused, done, skipped and without reminders, and
  /// returns all habits.
  private func fill(_ store: Store) async throws -> [Habit] {
    var ids: [HabitID] = []
    for title in ["Archived", "Deleted", "Paused", "Done", "Skipped"] {
      ids.append(try await store.add(Self.daily(title, unless: .done)).id)
    }
    var watched = Self.daily("Watched")
    watched.owner = .watch
    for habit in [watched, Habit("Bare"), Self.daily("Timeless", at: [])] {
      _ = try await store.add(habit)
    }
    _ = try await store.archive(ids[0])
    _ = try await store.delete(ids[1])
    _ = try await store.pause(ids[2])
    _ = try await store.markDone(ids[3])
    _ = try await store.skip(ids[4])
    return try await store.habits(includingArchived: true, includingDeleted: true)
  }

  /// Returns the lines of all documents.
  private func lines(
    _ store: Store, _ habits: [Habit], _ terms: Terms
  ) async throws -> [String] {
    let time = Self.time
    var documents = [
      try await HabitsDocument(store, includingArchived: true, includingDeleted: true).json,
      try await TodayDocument(store, time, terms).json,
      try await WeekDocument(store, of: store.today(), time).json,
      try await PendingDocument(store, time).json,
      try await StatusDocument(store, time, terms, withDigest: true).json,
      try await ReplicasDocument(store, time).json, try await SettingsDocument(store).json,
      try await PermissionDocument(store, time).json,
      try await ReceiptsDocument(store, limit: 9, in: Set(Receipt.State.allCases), time).json,
    ]
    for habit in habits {
      documents += [
        try await HabitDocument(store, habit, time, terms).json,
        try await ExplainDocument(store, habit, on: .today, time, terms).json,
        try await EntriesDocument(store, habit, in: CivilDate.accepted, time).json,
      ]
    }
    return documents.map(\.line)
  }

  @Test("Without terms of an edge, no document names a command or an option")
  func plain() async throws {
    try await withStore { store in
      let habits = try await fill(store)
      for isPaused in [false, true] {
        if isPaused { _ = try await store.pauseAll() }
        for line in try await lines(store, habits, .plain) {
          #expect(!line.contains("carillon "), "\(line)")
          #expect(line.firstMatch(of: #/(^|\s)--[a-z]/#) == nil, "\(line)")
        }
      }
    }
  }

  @Test("The words name what a reader can do in the terms that they are given")
  func terms() async throws {
    try await withStore { store in
      let habits = try await fill(store)
      let terms = Terms(
        steps: { remedy in
          switch remedy {
          case .restore(let habit): "restore \(habit.title)"
          case .unarchive(let habit): "unarchive \(habit.title)"
          case .resume(let habit): "resume \(habit?.title ?? "all")"
          case .addReminder(let habit): "remind of \(habit.title)"
          case .grantPermission: "allow it"
          default: nil
          }
        }, owner: { "owner \($0.rawValue)" }, event: { name, _ in name })
      let text = try await lines(store, habits, terms).joined()
      for words in [
        "the habit is deleted; to restore it: restore Deleted",
        "the habit is archived; to show it again: unarchive Archived",
        "paused until resumed; to resume: resume Paused",
        "Bare has no reminders. To add one: remind of Bare",
        "once the system allows notifications: allow it", "1 habit with owner watch",
      ] {
        #expect(text.contains(words), "\(words) is not in \(text)")
      }
      _ = try await store.pauseAll()
      let health = try await StatusDocument(store, Self.time, terms).health
      #expect(health.contains("All habits are paused until resumed. To resume: resume all"))
    }
  }
}
