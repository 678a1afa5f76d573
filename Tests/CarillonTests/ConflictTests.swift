import Carillon
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

/// Edits of one field by two devices that had not synced.
@Suite struct ConflictTests {
  /// A phone and a watch that share a habit.
  private func withWalk(
    _ body: (Store, Store, Habit, ManualClock) async throws -> Void
  ) async throws {
    try await withPhoneAndWatch { phone, watch, clock in
      let added = try await phone.add(Habit("Walk", .daily(at: ["17:00"])))
      try await phone.sync(with: watch)
      let walk = try #require(try await phone.habits().first { $0.id == added.id })
      try await body(phone, watch, walk, clock)
    }
  }

  private func times(_ edit: EditConflict.Edit) -> [TimeOfDay] {
    if case .schedule(let schedule) = edit.value { schedule.times } else { [] }
  }

  @Test("What two devices changed before they synced is listed alike on both, until it is taken")
  func taken() async throws {
    try await withWalk { phone, watch, walk, clock in
      try await watch.edit(walk.id) { $0.schedules[0].setTimes(["19:00"]) }
      clock.advance(seconds: 60)
      try await phone.edit(walk.id) { $0.schedules[0].setTimes(["18:00"]) }
      #expect(try await phone.conflicts().isEmpty)
      let before = try phone.lastPosition()
      try await phone.sync(with: watch)
      let conflicts = try await phone.conflicts()
      let conflict = try #require(conflicts.first)
      #expect(conflicts.count == 1)
      #expect(try await watch.conflicts() == conflicts)
      #expect(try await phone.conflicts(after: before) == conflicts)
      #expect(try await phone.conflicts(after: phone.lastPosition()).isEmpty)
      #expect(conflict.field == .schedule(walk.schedules[0].id, .times))
      #expect(times(conflict.lost) == ["19:00"] && times(conflict.kept) == ["18:00"])

      _ = try await phone.rebuild()
      #expect(try await phone.conflicts() == conflicts)
      try await phone.endConflicts(of: walk.id, with: conflict.lost.event, takingLost: true)
      #expect(try await phone.habits().first?.schedules[0].times == ["19:00"])
      try await phone.sync(with: watch)
      for store in [phone, watch] { #expect(try await store.conflicts().isEmpty) }
      #expect(try await phone.stateDigest() == watch.stateDigest())
      await #expect(throws: StoreError.self) {
        try await phone.endConflicts(of: walk.id, with: conflict.lost.event, takingLost: true)
      }
    }
  }

  @Test("Confirming the present value ends a conflict, and so does any later edit of the field")
  func confirmed() async throws {
    try await withWalk { phone, watch, walk, clock in
      func conflict(_ first: String, _ second: String) async throws -> EditConflict {
        try await watch.edit(walk.id) { $0.title = first }
        clock.advance(seconds: 60)
        try await phone.edit(walk.id) { $0.title = second }
        clock.advance(seconds: 60)
        try await phone.sync(with: watch)
        return try #require(try await watch.conflicts(of: walk.id).first)
      }
      let kept = try await conflict("Jog", "Run")
      #expect(kept.lost.value == .habit(.text("Jog")))
      try await watch.endConflicts(of: walk.id, with: kept.lost.event, takingLost: false)
      #expect(try await watch.conflicts().isEmpty)
      #expect(try await watch.habits().first?.title == "Run")
      try await phone.sync(with: watch)
      _ = try await conflict("Hike", "Stroll")
      try await phone.edit(walk.id) { $0.title = "March" }
      try await phone.sync(with: watch)
      for store in [phone, watch] { #expect(try await store.conflicts().isEmpty) }
    }
  }

  @Test("Edits in sequence, of different fields, and to the same value conflict in nothing")
  func harmless() async throws {
    try await withWalk { phone, watch, walk, clock in
      try await watch.edit(walk.id) { $0.title = "Jog" }
      try await phone.sync(with: watch)
      clock.advance(seconds: 60)
      try await phone.edit(walk.id) { $0.title = "Run" }
      try await watch.edit(walk.id) { $0.notes = "Slowly" }
      try await phone.edit(walk.id) { $0.group = "morning" }
      try await watch.edit(walk.id) { $0.group = "morning" }
      try await phone.sync(with: watch)
      for store in [phone, watch] { #expect(try await store.conflicts().isEmpty) }
    }
  }

  @Test("A deleted habit lists no conflicts, a restored one does, and an erased one has none left")
  func deleted() async throws {
    try await withWalk { phone, watch, walk, clock in
      try await watch.edit(walk.id) { $0.title = "Jog" }
      try await phone.edit(walk.id) { $0.title = "Run" }
      try await phone.sync(with: watch)
      try await phone.delete(walk.id)
      #expect(try await phone.conflicts().isEmpty)
      try await phone.restore(walk.id)
      #expect(try await phone.conflicts().count == 1)
      try await phone.erase(.habit(walk.id))
      try await phone.sync(with: watch)
      for store in [phone, watch] { #expect(try await store.conflicts().isEmpty) }
      #expect(try await phone.stateDigest() == watch.stateDigest())
    }
  }

  @Test("A note that another device wrote over without having seen it is listed and taken back")
  func notes() async throws {
    try await withWalk { phone, watch, walk, clock in
      let date = try await phone.today()
      try await watch.setNote("Slow", of: walk.id)
      clock.advance(seconds: 60)
      try await phone.setNote("Fast", of: walk.id)
      try await phone.sync(with: watch)
      let conflict = try #require(try await watch.conflicts().first)
      #expect(try await phone.conflicts() == [conflict])
      #expect(conflict.field == .note(date))
      #expect(conflict.lost.value == .text("Slow") && conflict.kept.value == .text("Fast"))
      try await watch.endConflicts(of: walk.id, with: conflict.lost.event, takingLost: true)
      try await phone.sync(with: watch)
      for store in [phone, watch] {
        #expect(try await store.notes(of: walk.id, in: date...date) == [date: ["Slow"]])
        #expect(try await store.conflicts().isEmpty)
      }
      clock.advance(seconds: 60)
      try await phone.setNote("Steady", of: walk.id)
      try await phone.sync(with: watch)
      #expect(try await watch.conflicts().isEmpty)
    }
  }

  @Test("A setting that two devices set for the first time loses one value, which is listed")
  func settings() async throws {
    try await withWalk { phone, watch, _, clock in
      try await watch.set([.quietHours: "22:00-07:00"])
      clock.advance(seconds: 60)
      try await phone.set([.quietHours: "23:00-06:00"])
      try await phone.set([.dayStart: "04:00"])
      try await phone.sync(with: watch)
      let conflict = try #require(try await watch.conflicts().first)
      #expect(try await phone.conflicts() == [conflict])
      #expect(conflict.habit == nil && conflict.field == .setting(.quietHours))
      #expect(conflict.lost.value == .text("22:00-07:00"))
      _ = try await watch.rebuild()
      #expect(try await watch.conflicts() == [conflict])
      // The value stays, and is confirmed.
      try await phone.set([.quietHours: "23:00-06:00"])
      try await phone.sync(with: watch)
      for store in [phone, watch] { #expect(try await store.conflicts().isEmpty) }
      #expect(try await phone.stateDigest() == watch.stateDigest())
    }
  }

  @Test("An edit of a habit that another device deleted or archived is listed until one is decided")
  func ended() async throws {
    for isDeleted in [true, false] {
      for isTaken in [true, false] {
        try await withWalk { phone, watch, walk, clock in
          try await phone.edit(walk.id) { $0.group = "morning" }
          try await phone.sync(with: watch)
          clock.advance(seconds: 60)
          _ = try await isDeleted ? watch.delete(walk.id) : watch.archive(walk.id)
          try await phone.edit(walk.id) { $0.title = "Jog" }
          try await phone.edit(walk.id) { $0.schedules[0].setTimes(["19:00"]) }
          try await phone.setNote("Fast", of: walk.id)
          try await phone.sync(with: watch)
          let conflicts = try await phone.conflicts()
          #expect(try await watch.conflicts() == conflicts)
          #expect(conflicts.count == 2)
          #expect(conflicts.allSatisfy { $0.kept.value == (isDeleted ? .deleted : .archived) })
          #expect(conflicts.contains { $0.lost.value == .habit(.text("Jog")) })
          let lost = try #require(conflicts.first).lost.event
          clock.advance(seconds: 60)
          try await phone.endConflicts(of: walk.id, with: lost, takingLost: isTaken)
          try await phone.sync(with: watch)
          for store in [phone, watch] { #expect(try await store.conflicts().isEmpty) }
          let found = try await watch.habits(includingArchived: true, includingDeleted: true)
          #expect(found.first?.title == "Jog")
          #expect((found.first?.isDeleted == true) == (isDeleted && !isTaken))
          #expect((found.first?.isArchived == true) == (!isDeleted && !isTaken))
        }
      }
    }
  }

  @Test("A deletion after a sync, and an edit of an archived habit, hide no edit")
  func seen() async throws {
    try await withWalk { phone, watch, walk, clock in
      try await phone.edit(walk.id) { $0.title = "Jog" }
      try await phone.sync(with: watch)
      clock.advance(seconds: 60)
      try await watch.archive(walk.id)
      try await phone.sync(with: watch)
      clock.advance(seconds: 60)
      try await phone.edit(walk.id) { $0.title = "Run" }
      try await phone.sync(with: watch)
      for store in [phone, watch] { #expect(try await store.conflicts().isEmpty) }
      try await watch.delete(walk.id)
      try await phone.sync(with: watch)
      for store in [phone, watch] { #expect(try await store.conflicts().isEmpty) }
    }
  }

  @Test("An edit of a schedule that another device removed is listed, and taken back or given up")
  func removedSchedule() async throws {
    try await withWalk { phone, watch, walk, clock in
      let schedule = walk.schedules[0].id
      func conflict(_ time: String) async throws -> EditConflict {
        clock.advance(seconds: 60)
        try await watch.edit(walk.id) { $0.schedules[0].setTimes([TimeOfDay(stringLiteral: time)]) }
        clock.advance(seconds: 60)
        try await phone.edit(walk.id) { $0.schedules = [] }
        try await phone.sync(with: watch)
        let conflicts = try await phone.conflicts()
        #expect(conflicts.count == 1)
        #expect(try await watch.conflicts() == conflicts)
        _ = try await phone.rebuild()
        #expect(try await phone.conflicts() == conflicts)
        return try #require(conflicts.first)
      }
      let lost = try await conflict("19:00")
      #expect(lost.field == .schedule(schedule, .times) && lost.kept.value == .removed)
      #expect(times(lost.lost) == ["19:00"])
      try await watch.endConflicts(of: walk.id, with: lost.lost.event, takingLost: true)
      try await phone.sync(with: watch)
      for store in [phone, watch] {
        #expect(try await store.habits().first?.schedules.map(\.times) == [["19:00"]])
        #expect(try await store.conflicts().isEmpty)
      }
      let other = try await conflict("20:00")
      try await watch.endConflicts(of: walk.id, with: other.lost.event, takingLost: false)
      try await phone.sync(with: watch)
      for store in [phone, watch] {
        #expect(try await store.habits().first?.schedules.isEmpty == true)
        #expect(try await store.conflicts().isEmpty)
      }
    }
  }

  @Test("A removal that a later edit did not know is listed, until an edit or a removal decides")
  func lostRemoval() async throws {
    try await withWalk { phone, watch, walk, clock in
      func conflict(_ time: String) async throws -> EditConflict {
        clock.advance(seconds: 60)
        try await phone.edit(walk.id) { $0.schedules = [] }
        clock.advance(seconds: 60)
        try await watch.edit(walk.id) { $0.schedules[0].setTimes([TimeOfDay(stringLiteral: time)]) }
        try await phone.sync(with: watch)
        let conflicts = try await phone.conflicts()
        #expect(conflicts.count == 1)
        #expect(try await watch.conflicts() == conflicts)
        #expect(try await phone.habits().first?.schedules.count == 1)
        return try #require(conflicts.first)
      }
      let lost = try await conflict("19:00")
      #expect(lost.lost.value == .removed && times(lost.kept) == ["19:00"])
      try await phone.endConflicts(of: walk.id, with: lost.lost.event, takingLost: false)
      #expect(try await phone.conflicts().isEmpty)
      try await phone.sync(with: watch)
      let edited = try await conflict("20:00")
      try await watch.edit(walk.id) { $0.schedules[0].quietPolicy = .drop }
      #expect(try await watch.conflicts().isEmpty)
      try await phone.sync(with: watch)
      let taken = try await conflict("21:00")
      #expect(taken.lost.event != edited.lost.event)
      try await watch.endConflicts(of: walk.id, with: taken.lost.event, takingLost: true)
      try await phone.sync(with: watch)
      for store in [phone, watch] {
        #expect(try await store.habits().first?.schedules.isEmpty == true)
        #expect(try await store.conflicts().isEmpty)
      }
    }
  }

  @Test("A removal after a sync, and a schedule that is brought back after it, hide no edit")
  func knownRemoval() async throws {
    try await withWalk { phone, watch, walk, clock in
      clock.advance(seconds: 60)
      try await watch.edit(walk.id) { $0.schedules[0].setTimes(["19:00"]) }
      try await phone.sync(with: watch)
      clock.advance(seconds: 60)
      let schedules = try #require(try await phone.habits().first?.schedules)
      try await phone.edit(walk.id) { $0.schedules = [] }
      #expect(try await phone.conflicts().isEmpty)
      try await phone.edit(walk.id) { $0.schedules = schedules }
      try await phone.sync(with: watch)
      for store in [phone, watch] { #expect(try await store.conflicts().isEmpty) }
    }
  }

  @Test("Edits of one field, and an edit with a deletion, that are appended together lose nothing")
  func appendedTogether() async throws {
    try await withWalk { phone, _, walk, _ in
      func edit(_ title: String) -> Payload {
        .habitEdited(HabitFields(habit: walk.id, values: [.title: .text(title)]))
      }
      try await phone.append([
        edit("Jog"), edit("Run"),
        .habitArchivedSet(HabitArchivedSet(habit: walk.id, isArchived: true)),
      ])
      #expect(try await phone.conflicts().isEmpty)
      try await phone.append([.habitDeleted(HabitDeleted(habit: walk.id)), edit("Hike")])
      #expect(try await phone.conflicts().isEmpty)
    }
  }
}
