/// A daily range of times, which may cross midnight.
public struct DayWindow: Hashable, Sendable, TextCodable {
  /// The first minute of the window.
  public let from: TimeOfDay
  /// The first minute after the window.
  public let to: TimeOfDay

  /// Creates a window; returns nil if both times are equal.
  public init?(from: TimeOfDay, to: TimeOfDay) {
    guard from != to else { return nil }
    self.from = from
    self.to = to
  }

  /// Parses `22:00-07:00`.
  public init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let from = TimeOfDay(String(parts[0])),
      let to = TimeOfDay(String(parts[1]))
    else { return nil }
    self.init(from: from, to: to)
  }

  /// The window in the form `22:00-07:00`.
  public var description: String { "\(from)-\(to)" }

  /// Whether a time of day lies in the window.
  package func contains(_ time: TimeOfDay) -> Bool {
    from < to ? time >= from && time < to : time >= from || time < to
  }
}
