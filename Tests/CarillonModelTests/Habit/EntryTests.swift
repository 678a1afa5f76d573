import Testing

@testable import CarillonModel

/// Expectations were computed with Python's hashlib.
@Suite struct EntryTests {
  @Test("The id of an entry is the specified hash of what it is of")
  func ids() throws {
    let habit = try #require(HabitID(bytes: Array(0..<16)))
    let slot = try #require(SlotID(bytes: Array(16..<32)))
    let event = try #require(EventID(bytes: Array(100..<132)))
    for (kind, digits) in [
      (EntryKind.mark, "a1d3e2bc440d0190f6bb59f75da0dcf0"),
      (.occurrence(slot: slot, time: "17:00"), "ae8df33d056f95df61e093094e101445"),
      (.imported(source: "loop"), "e857d51749ab648d8a7c9972647366b2"),
      (.amount, "eba496ac1a1b6c9c9f283c8a22679d1d"),
    ] {
      let id = kind.entryID(habit: habit, date: "2026-11-23", event: event)
      #expect(id.bytes.hexadecimal == digits)
    }
  }

  @Test("A pause covers its dates of its habit, or of all")
  func pause() {
    let (habit, other) = (HabitID.random(), HabitID.random())
    let own = Pause(habit: habit, first: "2026-11-23", last: "2026-11-24")
    #expect(own.covers("2026-11-23", of: habit) && own.covers("2026-11-24", of: habit))
    #expect(!own.covers("2026-11-22", of: habit) && !own.covers("2026-11-25", of: habit))
    #expect(!own.covers("2026-11-23", of: other))
    let open = Pause(habit: nil, first: "2026-11-23", last: nil)
    #expect(open.covers("2200-12-31", of: other) && !open.covers("2026-11-22", of: other))
    let never = Pause(habit: nil, first: "2026-11-23", last: "2026-11-22")
    #expect(!never.covers("2026-11-23", of: other) && !never.covers("2026-11-22", of: other))
  }
}
