extension Table {
  /// Fetched items, as they were observed.
  static let item = Table(
    "item", .newest(by: 2), erasedWith: .items,
    // The item's index in the event, starting at 0.
    key: [.text("source"), .replica, .event, .number("place")],
    // The source's ID of the item, and a text that changes when the item changes.
    [.text("item"), .text("revision"), .text("title").optional],
    indexes: [
      // For the question whether any replica observed an item.
      "item_key ON item (source, item, revision)",
      // For the latest observations.
      "item_event ON item (event)",
    ])

  /// The states that notifications reached.
  static let receipt = Table(
    "receipt", .newest(by: 3), erasedWith: .receipts, key: notificationKey,
    notification + [
      // 1 submitted, 2 delivered, 3 expired, 4 dismissed, 5 opened, 6 acted.
      .number("state"),
      // The instant at which the device recorded the state.
      .instant("at"),
      // The instant at which the notification fires, or for `delivered` fired; missing: unknown.
      .instant("fire_at").optional,
    ],
    indexes: [
      // For the receipts of the occurrences on some dates, and of one notification.
      "receipt_notification ON receipt (day, source, minute, name)",
      // For the latest receipts.
      "receipt_time ON receipt (coalesce(fire_at, at))",
    ])

  /// The person's responses.
  static let response = Table(
    "response", .newest(by: 3), erasedWith: .receipts, key: notificationKey,
    // open, done, skip, snooze, dismiss, or the app's own action; the text that the person entered.
    notification + [.text("action"), .text("text").optional, .instant("at")],
    // For the response to one notification.
    indexes: ["response_notification ON response (day, source, minute, name)"])

  private static let notificationKey: [Column] = [
    // 1: an occurrence. 2: a fetched item. 3: a push.
    .number("kind"),
    // For an occurrence the habit, for an item the source's name, for a push an empty text.
    .any("source"), .replica, .event,
  ]

  private static let notification: [Column] = [
    // For an occurrence: its schedule, and the nominal date and minute.
    .id("schedule").optional, .date("day").optional, .number("minute").optional,
    // For an item the source's ID of it, for a push its ID.
    .text("name").optional, .text("revision"),
  ]
}
