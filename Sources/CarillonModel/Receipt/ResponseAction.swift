/// What the person chose in response to a notification.
public enum ResponseAction: Hashable, Sendable, TextCodable {
  /// The app was opened.
  case open
  /// The reminder is done.
  case done
  /// The reminder's date is skipped.
  case skip
  /// The reminder fires again later.
  case snooze
  /// The notification was dismissed.
  case dismiss
  /// An action of the app's own; 1 to 64 bytes.
  case custom(String)

  /// Creates the action with a name.
  public init(_ name: String) {
    self = Self.named.first { $0.description == name } ?? .custom(name)
  }

  /// The name of the action.
  public var description: String {
    switch self {
    case .open: "open"
    case .done: "done"
    case .skip: "skip"
    case .snooze: "snooze"
    case .dismiss: "dismiss"
    case .custom(let name): name
    }
  }

  private static let named: [Self] = [.open, .done, .skip, .snooze, .dismiss]
}
