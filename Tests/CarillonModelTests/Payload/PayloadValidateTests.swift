import CarillonModel
import Testing

@Suite struct PayloadValidateTests {
  private static let habit = HabitID.random()
  private static let long = String(repeating: "x", count: 2_001)

  private static func slot(_ change: (inout Slot) -> Void) -> Payload {
    var slot = Slot.daily(at: ["07:30"])
    change(&slot)
    return .slotSet(SlotSet(habit: habit, slot: slot))
  }

  private static let refused: [(String, Payload)] = [
    ("title", .habitCreated(HabitFields(habit: habit, values: [.unit: .text("x")]))),
    ("deletes", .habitRestored(HabitRestored(habit: habit, deletes: []))),
    ("on", slot { $0.rule = .weekly([]) }),
    ("once", slot { $0.rule = .once("2201-01-01") }),
    ("every", slot { $0.rule = .everyDays(0, from: "2026-11-23") }),
    ("every", slot { $0.rule = .everyDays(3_651, from: "2026-11-23") }),
    ("from", slot { $0.rule = .everyDays(2, from: CivilDate(rawValue: -1)) }),
    ("at", slot { $0.setTimes((0..<25).compactMap { TimeOfDay(minute: $0) }) }),
    ("zone", slot { $0.zone = .fixed("") }),
    ("zone", slot { $0.zone = .fixed(long) }),
    ("stopAfter", slot { $0.stopAfterDays = -1 }),
    ("stopAfter", slot { $0.stopAfterDays = 3_651 }),
    ("thread", slot { $0.thread = long }),
    ("title", slot { $0.content.title = long }),
    ("body", slot { $0.content.body = long }),
    ("sound", slot { $0.content.sound = long }),
    ("data", slot { $0.content.data = ["k": long] }),
    ("data", slot { slot in for key in 0...16 { slot.content.data["\(key)"] = "" } }),
    ("date", .entryRecorded(EntryRecorded(habit: habit, date: CivilDate(rawValue: .max)))),
    ("value", .entryRecorded(EntryRecorded(habit: habit, date: "2026-11-23", value: -1))),
    (
      "at",
      .entryRecorded(
        EntryRecorded(habit: habit, date: "2026-11-23", at: Instant(milliseconds: 1 << 45)))
    ),
    ("note", .entryRecorded(EntryRecorded(habit: habit, date: "2026-11-23", note: long))),
    (
      "source",
      .entryRecorded(EntryRecorded(habit: habit, date: "2026-11-23", kind: .imported(source: "")))
    ),
    ("entries", .entryVoided(EntryVoided(items: []))),
    ("recordings", .entryVoided(EntryVoided(items: [.init(entry: .random(), recordings: [])]))),
    (
      "from to",
      .dayMarked(DayMarked(habit: habit, first: "2026-11-23", last: "2026-11-22", mark: .skip))
    ),
    (
      "from to",
      .dayMarked(DayMarked(habit: habit, first: "2026-01-01", last: "2027-02-05", mark: .skip))
    ),
    ("to", .pauseSet(Pause(habit: nil, first: "2026-11-23", last: CivilDate(rawValue: -1)))),
    ("date", .appActive(AppActive(date: CivilDate(rawValue: .min)))),
    ("name", device(name: "")), ("name", device(name: String(repeating: "x", count: 65))),
    ("zone", device(zone: "")), ("capacity", device(capacity: 0)),
    ("capacity", device(capacity: 10_001)),
  ]

  private static func device(
    name: String = "phone", zone: String = "UTC", capacity: Int = 64
  ) -> Payload {
    .deviceDescribed(
      DeviceDescription(
        name: name, role: .phone, zone: zone, zoneDataVersion: "2025b", capacity: capacity))
  }

  @Test("A value out of its limits is refused, and the message names the field")
  func refused() {
    for (field, payload) in Self.refused {
      let error = #expect(throws: ModelError.self, "\(payload)") { try payload.validate() }
      #expect(error?.code == .invalidValue)
      #expect(error?.message.hasPrefix(field) == true, "\(error?.message ?? "")")
    }
  }

  @Test("What is at its limits is accepted")
  func accepted() throws {
    try Self.slot { $0.rule = .everyDays(3_650, from: "2200-12-31") }.validate()
    try Self.slot { $0.content.title = String(repeating: "x", count: 200) }.validate()
    try Self.slot { $0.setTimes([]) }.validate()
    try Self.slot { $0.rule = .unknown(number: 99, bytes: [1]) }.validate()
    try Payload.dayMarked(
      DayMarked(habit: Self.habit, first: "2026-01-01", last: "2027-02-04", mark: .skip)
    ).validate()
    try Self.device(name: String(repeating: "x", count: 64), capacity: 10_000).validate()
    try Payload.unknown(kind: 12).validate()
    try Payload.habitCreated(HabitFields(creating: Habit("Walk"))).validate()
  }
}
