// Enumerations used in fields. Their cases are numbered in order; the numbers never change.

extension Habit.Kind: NamedFieldValue {
  package static let names = numbered(from: 0)
}

extension Habit.Direction: NamedFieldValue {
  package static let names = numbered(from: 0)
}

extension Habit.Owner: NamedFieldValue {
  package static let names = numbered(from: 0)
}

extension DayMark: NamedFieldValue {
  package static let names = numbered(from: 0)
}

extension Permission.Status: NamedFieldValue {
  package static let names = numbered(from: 0)
}

extension PermissionAsked.Outcome: NamedFieldValue {
  package static let names = numbered(from: 0)
}

extension QuietPolicy: NamedFieldValue {
  package static let names = numbered(from: 0)
}

extension Schedule.Relative.Edge: NamedFieldValue {
  package static let names = numbered(from: 0)
}

extension Schedule.Region.Crossing: NamedFieldValue {
  package static let names = numbered(from: 0)
}

// In these enumerations, 0 means that the field is absent.

extension PermissionAsked.Step: NamedFieldValue {
  package static let names = numbered(from: 1)
}

extension Device.Role: NamedFieldValue {
  package static let names = numbered(from: 1)
}

extension ReceiptState: NamedFieldValue {
  package static let names = numbered(from: 1)
}

extension WakeFinished.Reason: NamedFieldValue {
  package static let names = numbered(from: 1)
}

extension WakeFinished.Result: NamedFieldValue {
  package static let names = numbered(from: 1)
}

extension PushReceived.Kind: NamedFieldValue {
  package static let names = numbered(from: 1)
}

extension InterruptionLevel: NamedFieldValue {
  package static let names = numbered(from: 1)
}

extension Schedule.Interval.Anchor: NamedFieldValue {
  package static let names = numbered(from: 1)
}

extension Schedule.Condition: IntegerFieldValue {
  package static let fieldType = flags
}

extension Permission.Options: IntegerFieldValue {
  package static let fieldType = flags
}
