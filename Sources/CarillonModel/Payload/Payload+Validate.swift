extension Payload {
  /// Checks every limit of the vocabulary.
  ///
  /// A writer refuses what fails here; a reader keeps such an event, but projects it as nothing
  /// and counts it.
  ///
  /// - Throws: `invalidValue` naming the field and the limit.
  public func validate() throws(ModelError) {
    switch self {
    case .habitCreated(let fields):
      guard fields.values[.title] != nil else { throw .invalid("title", "must be given") }
      try fields.validate()
    case .habitEdited(let fields):
      try fields.validate()
    case .habitRestored(let restored):
      try Limit.count(restored.deletes.count, 1...100, "deletes")
    case .slotSet(let set):
      try set.slot.validate()
    case .entryRecorded(let entry):
      try entry.validate()
    case .entryVoided(let voided):
      try Limit.count(voided.items.count, 1...100, "entries")
      for item in voided.items { try Limit.count(item.recordings.count, 1...100, "recordings") }
    case .dayMarked(let marked):
      try Limit.date(marked.first, "from")
      try Limit.date(marked.last, "to")
      try Limit.count(
        marked.first.days(to: marked.last) + 1, 1...DayMarked.maxDays, "from to: days")
    case .pauseSet(let pause):
      try Limit.date(pause.first, "from")
      if let last = pause.last { try Limit.date(last, "to") }
    case .appActive(let active):
      try Limit.date(active.date, "date")
    case .deviceDescribed(let device):
      try device.validate()
    case .itemObserved(let observed): try observed.validate()
    case .receiptAdvanced(let receipt): try receipt.validate()
    case .responseRecorded(let response): try response.validate()
    case .wakeFinished(let wake): try wake.validate()
    case .pushTokenSet(let token): try token.validate()
    case .pushReceived(let push): try push.validate()
    case .importFinished(let finished): try finished.validate()
    case .snoozeSet(let set): try set.validate()
    case .planSubmitted(let submitted): try submitted.validate()
    case .settingsSet(let set): try set.validate()
    case .dataErased(let erasure): try erasure.validate()
    case .branchesClosed(let closed): try closed.validate()
    case .permissionChanged(let changed): try Limit.instant(changed.at, "at")
    case .habitArchivedSet, .habitDeleted, .slotRemoved, .permissionAsked, .alertsSet, .unknown:
      break
    }
  }
}

/// The limits that several payloads share.
enum Limit {
  static func text(
    _ text: String?, _ range: ClosedRange<Int>, _ field: String
  ) throws(ModelError) {
    guard let count = text?.utf8.count, !range.contains(count) else { return }
    throw .invalid(
      field,
      "has \(count) bytes of UTF-8; "
        + "from \(range.lowerBound) to \(range.upperBound) are allowed")
  }

  static func count(
    _ count: Int, _ range: ClosedRange<Int>, _ field: String
  ) throws(ModelError) {
    guard !range.contains(count) else { return }
    throw .invalid(
      field, "\(count) is out of range; from \(range.lowerBound) to \(range.upperBound) is allowed")
  }

  static func date(_ date: CivilDate, _ field: String) throws(ModelError) {
    guard !CivilDate.accepted.contains(date) else { return }
    throw .invalid(
      field,
      "day \(date.rawValue) is out of range; dates from \(CivilDate.accepted.lowerBound) "
        + "to \(CivilDate.accepted.upperBound) are allowed")
  }

  static func instant(_ instant: Instant?, _ field: String) throws(ModelError) {
    guard let instant, !(0..<(1 << 45)).contains(instant.milliseconds) else { return }
    throw .invalid(field, "must be after 1970 and before 2^45 ms (the year 3084)")
  }
}

extension HabitFields {
  /// Checks type and limits of every value.
  ///
  /// - Throws: `invalidValue` naming the field and the limit.
  public func validate() throws(ModelError) {
    for (field, value) in values.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      try Self.validate(field, value)
    }
  }

  private static func validate(
    _ field: HabitField, _ value: HabitFieldValue
  ) throws(ModelError) {
    if value == .none {
      guard field.isOptional else { throw .invalid(field.name, "cannot be cleared") }
      return
    }
    switch field {
    case .title: try text(value, 1...200, field)
    case .unit, .group, .question: try text(value, 0...200, field)
    case .notes: try text(value, 0...2_000, field)
    case .kind: try name(value, Habit.Kind.self, field)
    case .direction: try name(value, Habit.Direction.self, field)
    case .owner: try name(value, Habit.Owner.self, field)
    case .target: try integer(value, 1...1_000_000_000_000, field)
    case .position: try integer(value, -1_000_000_000...1_000_000_000, field)
    case .start, .end:
      try integer(value, 0...Int64(CivilDate.accepted.upperBound.rawValue), field)
    case .goal:
      guard value.text.flatMap(Goal.init) != nil else {
        throw .invalid("goal", "must be like 3/7d, up to 1000 times in up to 366 days")
      }
    }
  }

  private static func text(
    _ value: HabitFieldValue, _ range: ClosedRange<Int>, _ field: HabitField
  ) throws(ModelError) {
    guard let text = value.text else { throw .invalid(field.name, "must be text") }
    try Limit.text(text, range, field.name)
  }

  private static func integer(
    _ value: HabitFieldValue, _ range: ClosedRange<Int64>, _ field: HabitField
  ) throws(ModelError) {
    guard let integer = value.integer, range.contains(integer) else {
      throw .invalid(
        field.name, "must be a number from \(range.lowerBound) to \(range.upperBound)")
    }
  }

  private static func name<Name: RawRepresentable<String> & CaseIterable>(
    _ value: HabitFieldValue, _ type: Name.Type, _ field: HabitField
  ) throws(ModelError) {
    guard value.text.flatMap(Name.init(rawValue:)) != nil else {
      let names = Name.allCases.map(\.rawValue).joined(separator: ", ")
      throw .invalid(field.name, "must be one of \(names)")
    }
  }
}

extension EntryRecorded {
  fileprivate func validate() throws(ModelError) {
    try Limit.date(date, "date")
    guard (0...1_000_000_000_000).contains(value) else {
      throw .invalid("value", "\(value) is out of range; from 0 to 10^12 thousandths are allowed")
    }
    try Limit.instant(at, "at")
    try Limit.text(note, 0...2_000, "note")
    if case .imported(let source) = kind { try Limit.text(source, 1...200, "source") }
  }
}

extension DeviceDescription {
  /// Checks every limit.
  ///
  /// - Throws: `invalidValue` naming the field and the limit.
  public func validate() throws(ModelError) {
    try Limit.text(name, 1...64, "name")
    try Limit.text(zone, 1...64, "zone")
    try Limit.text(zoneDataVersion, 0...32, "zoneDataVersion")
    try Limit.count(capacity, 1...10_000, "capacity")
  }
}
