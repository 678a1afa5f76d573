extension Table {
  /// Items that were fetched, as they were observed.
  static let item = Table(
    "item", .newest(by: 2),
    // The item's place in the event, from 0.
    key: [.text("source"), .replica, .event, .number("place")],
    // The source's id of the item, and what changes when the item changes.
    [.text("item"), .text("revision"), .text("title").optional],
    // Whether an item was observed, by any replica.
    indexes: ["item_key ON item (source, item, revision)"])

  /// The states that notifications came to.
  static let receipt = Table(
    "receipt", .newest(by: 3), key: notificationKey,
    notification + [
      // 1 submitted, 2 delivered, 3 expired, 4 dismissed, 5 opened, 6 acted.
      .number("state"),
      // When the device recorded it.
      .instant("at"),
      // When the system shows it, or of delivered when it showed it; missing: not known.
      .instant("fire_at").optional,
    ],
    // The receipts of the occurrences of some dates.
    indexes: ["receipt_day ON receipt (day) WHERE day IS NOT NULL"])

  /// What the person answered.
  static let response = Table(
    "response", .newest(by: 3), key: notificationKey,
    // open, done, skip, snooze, dismiss, or the app's own name; what the person wrote.
    notification + [.text("action"), .text("text").optional, .instant("at")])

  private static let notificationKey: [Column] = [
    // 1 an occurrence, 2 a fetched item, 3 a push.
    .number("kind"),
    // Of an occurrence its habit, of an item the source's name, of a push empty text.
    .any("source"), .replica, .event,
  ]

  private static let notification: [Column] = [
    // Of an occurrence: its schedule, and the nominal date and minute.
    .id("schedule").optional, .date("day").optional, .number("minute").optional,
    // Of an item the source's id of it; of a push its id.
    .text("name").optional, .text("revision"),
  ]
}
