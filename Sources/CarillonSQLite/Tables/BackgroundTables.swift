extension Table {
  /// The results of the devices' last wakes in the background.
  static let wake = Table(
    "wake", .greatestEvent, erasedWith: .nothing,
    // fetch, push, refresh or launch.
    key: [.replica, .text("reason")],
    // newData, noData or failed; the number of new things.
    [.event, .text("result"), .number("new_count")])

  /// The results of the devices' registrations for remote notifications.
  static let pushToken = Table(
    "push_token", .greatestEvent, erasedWith: .nothing, key: [.replica, .text("environment")],
    // The token, or the reason why there is none.
    [.event, .bytes("token").optional, .text("error").optional])

  /// Remote notifications; a later one with the same ID replaces the earlier one.
  ///
  /// The event contains the content.
  static let push = Table(
    "push", .greatestEvent, erasedWith: .nothing, key: [.text("push")],
    [
      // The receiver's replica.
      .event, .replica,
      // alert, background, both or malformed.
      .text("kind"),
      // Whether the ID is the sender's collapse ID.
      .flag("collapses"), .text("category").optional, .text("thread").optional,
      // The first 16 hexadecimal digits of the SHA-256 of the content.
      .text("revision"), .instant("at"),
    ])

  /// Imported files of other apps, by their SHA-256.
  static let importFile = Table(
    "import_file", .greatestEvent, erasedWith: .nothing, key: [.bytes("file_hash")],
    // The payload of the import.finished event, byte for byte.
    [.event, .bytes("payload")])
}
