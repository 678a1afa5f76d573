public import CarillonModel

/// A date, absolute or relative to now.
public enum HabitDate: Hashable, Sendable {
  /// The default date of a verb, for a person who names none.
  ///
  /// ``Store/markDone(_:on:amount:at:note:)``, ``Store/clear(_:on:)`` and ``Store/skip(_:on:)``
  /// document it; for other functions it is ``today``.
  case due
  /// The current logical date, in the device's zone.
  case today
  case date(CivilDate)
}
