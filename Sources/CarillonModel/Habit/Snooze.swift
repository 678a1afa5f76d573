/// A reminder that the person put off.
///
/// A register per occurrence. It lapses when its slot no longer has that date and time, and where
/// ``until`` is at or after the next occurrence of the slot.
public struct Snooze: Hashable, Sendable {
  /// The slot whose occurrence it moves.
  public var slot: SlotID
  /// The civil date and time by which the occurrence is named.
  public var nominal: CivilDateTime
  /// The number of the repeat, of a ``Relative`` slot; else 0.
  public var number: Int
  /// When it rings instead; nil takes the snooze back.
  public var until: Instant?
  /// Whether it rings in quiet hours too.
  public var ignoresQuietHours: Bool

  /// Makes a value of its parts.
  public init(
    slot: SlotID, nominal: CivilDateTime, number: Int = 0, until: Instant?,
    ignoresQuietHours: Bool = false
  ) {
    self.slot = slot
    self.nominal = nominal
    self.number = number
    self.until = until
    self.ignoresQuietHours = ignoresQuietHours
  }
}
