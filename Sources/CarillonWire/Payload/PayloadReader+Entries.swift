internal import CarillonModel

/// Entries, day marks, pauses and activity.
extension PayloadReader {
  static func entryRecorded(_ bytes: Bytes) throws(ModelError) -> EntryRecorded {
    var habit: HabitID?
    var date: CivilDate?
    var kind: UInt32 = 0
    var slot: SlotID?
    var minute = 0
    var source = Bytes(start: nil, count: 0)
    var value: Int64 = 1000
    var at: Instant?
    var note: String?
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): habit = try field.identifier("habit")
      case (2, .varint): date = field.date
      case (3, .varint): kind = field.uint32
      case (4, .bytes): slot = try field.identifier("slot")
      case (5, .varint): minute = field.integer
      case (6, .bytes): source = field.bytes
      case (7, .varint): value = field.int64
      case (8, .varint): at = Instant(milliseconds: field.int64)
      case (9, .bytes): note = try field.text("note")
      default: break
      }
    }
    return EntryRecorded(
      habit: try habit.required("habit"), date: try date.required("date"),
      kind: kind == 0
        ? .mark : try entryKind(kind, slot: slot, minute: minute, source: source),
      value: value, at: at, note: note)
  }

  private static func entryKind(
    _ number: UInt32, slot: SlotID?, minute: Int, source: Bytes
  ) throws(ModelError) -> EntryKind {
    switch number {
    case 1: return .occurrence(slot: try slot.required("slot"), time: try time(minute))
    case 2:
      guard let source = String(validating: source, as: UTF8.self) else {
        throw .malformed("source: is not UTF-8")
      }
      return .imported(source: source)
    case 3: return .amount
    default: throw .malformed("kind: number \(number) has no meaning to this version")
    }
  }

  static func time(_ minute: Int) throws(ModelError) -> TimeOfDay {
    guard let time = TimeOfDay(minute: minute) else {
      throw .malformed("time: minute \(minute) is out of range; 0 to 1439 are allowed")
    }
    return time
  }

  static func entryVoided(_ bytes: Bytes) throws(ModelError) -> EntryVoided {
    var items: [EntryVoided.Item] = []
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      if field.number == 1, field.type == .bytes { items.append(try voidedItem(field.bytes)) }
    }
    return EntryVoided(items: items)
  }

  private static func voidedItem(_ bytes: Bytes) throws(ModelError) -> EntryVoided.Item {
    var entry: EntryID?
    var recordings: [EventID] = []
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): entry = try field.identifier("entry")
      case (2, .bytes): recordings.append(try field.eventID("recordings"))
      default: break
      }
    }
    return EntryVoided.Item(entry: try entry.required("entry"), recordings: recordings)
  }

  static func dayMarked(_ bytes: Bytes) throws(ModelError) -> DayMarked {
    var habit: HabitID?
    var first: CivilDate?
    var last: CivilDate?
    var mark = DayMark.clear
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): habit = try field.identifier("habit")
      case (2, .varint): first = field.date
      case (3, .varint): last = field.date
      case (4, .varint): mark = try field.named("mark")
      default: break
      }
    }
    let start = try first.required("from")
    return DayMarked(
      habit: try habit.required("habit"), first: start, last: last ?? start, mark: mark)
  }

  static func pauseSet(_ bytes: Bytes) throws(ModelError) -> Pause {
    var pause: PauseID?
    var habit: HabitID?
    var first: CivilDate?
    var last: CivilDate?
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): pause = try field.identifier("pause")
      case (2, .bytes): habit = try field.identifier("habit")
      case (3, .varint): first = field.date
      case (4, .varint): last = field.date
      default: break
      }
    }
    return Pause(
      id: try pause.required("pause"), habit: habit, first: try first.required("from"),
      last: last)
  }

  static func appActive(_ bytes: Bytes) throws(ModelError) -> AppActive {
    var date: CivilDate?
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      if field.number == 1, field.type == .varint { date = field.date }
    }
    return AppActive(date: try date.required("date"))
  }
}
