/// The subset of RFC 5545 that reminders need: DTSTART, RRULE, EXDATE and RDATE lines.
public struct Recurrence: Hashable, Sendable, TextCodable {
  /// The lines.
  public let description: String

  /// Takes the lines.
  public init?(_ text: String) {
    description = text
  }
}
