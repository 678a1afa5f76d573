/// The ID of a notification in the device's system.
///
/// The system's list also contains notifications that Carillon did not request: those of other
/// parts of the app, and remote notifications, whose IDs their senders choose.
public enum NotificationID: Hashable, Sendable, TextCodable {
  /// A notification that Carillon requested.
  case request(RequestID)
  /// Any other notification, with its text.
  case other(String)

  /// Creates the ID with a text.
  public init(_ text: String) {
    self = RequestID(text).map(Self.request) ?? .other(text)
  }

  /// The text of the ID.
  public var description: String {
    switch self {
    case .request(let id): id.description
    case .other(let text): text
    }
  }

  /// The ID as that of a request of Carillon, or nil.
  public var request: RequestID? { if case .request(let id) = self { id } else { nil } }
}

extension NotificationID: Comparable {
  /// Compares the texts.
  public static func < (left: Self, right: Self) -> Bool {
    if case .request(let left) = left, case .request(let right) = right { return left < right }
    return left.description < right.description
  }
}
