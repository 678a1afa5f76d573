extension Table {
  /// Snoozed occurrences.
  static let snooze = Table(
    "snooze", .greatestEvent, erasedWith: .habit,
    key: [
      // The nominal date and minute, and the number of the repeat, which is 0 for the first.
      .id("habit"), .id("schedule"), .date("day"), .number("minute"), .number("number"),
    ],
    // The instant at which it fires instead; missing: the snooze was withdrawn.
    [.event, .instant("until").optional, .flag("ignores_quiet_hours")],
    indexes: [
      // For the snoozes of the occurrences on some dates.
      "snooze_day ON snooze (day) WHERE until IS NOT NULL",
      // For the snoozes that end on some date or later, however old their occurrences are.
      "snooze_until ON snooze (until) WHERE until IS NOT NULL",
    ])

  /// The settings of the store.
  static let setting = Table(
    "setting", .greatestEvent, erasedWith: .nothing,
    // The name in settings.set, even if this version does not know it.
    key: [.text("name")],
    // The value as given, even if this version does not understand it; missing: the default.
    [.event, .text("value").optional])

  /// The plans that devices last submitted to their systems.
  static let submission = Table(
    "submission", .greatestEvent, erasedWith: .nothing, key: [.replica],
    [
      .event,
      // The number of requests that were added, removed, and refused by the system.
      .number("added"), .number("removed"), .number("failed"),
      // The SHA-256 of the wanted request IDs.
      .bytes("ids_digest"),
      // The instant up to which the plan is complete; missing: nothing is covered.
      .instant("coverage_until").optional,
      // The number of requests left out, up to 1000; the number of requests that the system
      // keeps.
      .number("dropped"), .number("capacity"), .instant("at"),
    ])
}
