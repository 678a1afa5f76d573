extension Table {
  /// Reminders that were put off, by occurrence.
  static let snooze = Table(
    "snooze", .greatestEvent,
    key: [
      // The nominal date and minute; the number of the repeat, 0 for the first.
      .id("habit"), .id("schedule"), .date("day"), .number("minute"), .number("number"),
    ],
    // When it fires instead; missing: the snooze was taken back.
    [.event, .instant("until").optional, .flag("ignores_quiet_hours")],
    indexes: [
      // The snoozes of the occurrences of some dates.
      "snooze_day ON snooze (day) WHERE until IS NOT NULL",
      // The snoozes that end on some date or later, however old their occurrences.
      "snooze_until ON snooze (until) WHERE until IS NOT NULL",
    ])

  /// The settings of the store.
  static let setting = Table(
    "setting", .greatestEvent,
    // As settings.set names it; also one that this version does not know.
    key: [.text("name")],
    // As it was given, understood or not; missing: the default.
    [.event, .text("value").optional])

  /// What devices last gave to their systems.
  static let submission = Table(
    "submission", .greatestEvent, key: [.replica],
    [
      .event,
      // How many requests were added, removed, and refused by the system.
      .number("added"), .number("removed"), .number("failed"),
      // SHA-256 of the request ids that were wanted.
      .bytes("ids_digest"),
      // Until when nothing is missing; itself missing: nothing is covered.
      .instant("coverage_until").optional,
      // Civil dates not taken, up to 1000; how many requests the system keeps.
      .number("dropped"), .number("capacity"), .instant("at"),
    ])
}
