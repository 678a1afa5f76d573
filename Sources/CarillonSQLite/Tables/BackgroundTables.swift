extension Table {
  /// How the devices' last wakes in the background ended.
  static let wake = Table(
    "wake", .greatestEvent,
    // fetch, push, refresh or launch.
    key: [.replica, .text("reason")],
    // newData, noData or failed; how many things were new.
    [.event, .text("result"), .number("new_count")])

  /// How the devices registered for remote notifications.
  static let pushToken = Table(
    "push_token", .greatestEvent, key: [.replica, .text("environment")],
    // The token, or why there is none.
    [.event, .bytes("token").optional, .text("error").optional])

  /// Remote notifications: a later one of the same id replaces it.
  ///
  /// The event holds the content.
  static let push = Table(
    "push", .greatestEvent, key: [.text("push")],
    [
      // The replica is the receiver's.
      .event, .replica,
      // alert, background, both or malformed.
      .text("kind"),
      // Whether the id is the sender's collapse id.
      .flag("collapses"), .text("category").optional, .text("thread").optional,
      // The first 16 hexadecimal digits of the SHA-256 of the content.
      .text("revision"), .instant("at"),
    ])

  /// Files of other apps that were imported, by their SHA-256.
  static let importFile = Table(
    "import_file", .greatestEvent, key: [.bytes("file_hash")],
    // The payload of the import.finished, byte for byte.
    [.event, .bytes("payload")])
}
