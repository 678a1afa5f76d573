internal import CarillonModel

/// Entries, day marks, pauses and activity.
extension PayloadReader {
  static func entryRecorded(_ bytes: Bytes) throws(ModelError) -> EntryRecorded {
    var habit: Bytes?
    var date: CivilDate?
    var kind = 0
    var slot: Bytes?
    var minute = 0
    var source = ""
    var value: Int64 = 1000
    var at: Instant?
    var note: String?
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): habit = field.bytes
      case (2, .varint): date = field.date
      case (3, .varint): kind = field.enumerationNumber
      case (4, .bytes): slot = field.bytes
      case (5, .varint): minute = field.integer
      case (6, .bytes): source = try field.text("source")
      case (7, .varint): value = field.int64
      case (8, .varint): at = Instant(milliseconds: field.int64)
      case (9, .bytes): note = try field.text("note")
      default: break
      }
    }
    return EntryRecorded(
      habit: try identifier(habit, "habit"), date: try date.required("date"),
      kind: kind == 0
        ? .mark : try entryKind(kind, slot: slot, minute: minute, source: source),
      value: value, at: at, note: note)
  }

  private static func entryKind(
    _ number: Int, slot: Bytes?, minute: Int, source: String
  ) throws(ModelError) -> EntryKind {
    switch number {
    case 1: return .occurrence(slot: try identifier(slot, "slot"), time: try time(minute))
    case 2: return .imported(source: source)
    case 3: return .amount
    default: throw noMeaning(number, "kind")
    }
  }

  static func time(_ minute: Int) throws(ModelError) -> TimeOfDay {
    guard let time = TimeOfDay(minute: minute) else {
      throw .invalid("time", "minute \(minute) is out of range; 0 to 1439 are allowed")
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
    var entry: Bytes?
    var recordings: [EventID] = []
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): entry = field.bytes
      case (2, .bytes): recordings.append(try eventID(field.bytes, "recordings"))
      default: break
      }
    }
    return EntryVoided.Item(entry: try identifier(entry, "entry"), recordings: recordings)
  }

  static func dayMarked(_ bytes: Bytes) throws(ModelError) -> DayMarked {
    var habit: Bytes?
    var first: CivilDate?
    var last: CivilDate?
    var mark = 0
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): habit = field.bytes
      case (2, .varint): first = field.date
      case (3, .varint): last = field.date
      case (4, .varint): mark = field.enumerationNumber
      default: break
      }
    }
    let start = try first.required("from")
    return DayMarked(
      habit: try identifier(habit, "habit"), first: start, last: last ?? start,
      mark: try named(mark, "mark"))
  }

  static func pauseSet(_ bytes: Bytes) throws(ModelError) -> Pause {
    var pause: Bytes?
    var habit: Bytes?
    var first: CivilDate?
    var last: CivilDate?
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): pause = field.bytes
      case (2, .bytes): habit = field.bytes
      case (3, .varint): first = field.date
      case (4, .varint): last = field.date
      default: break
      }
    }
    return Pause(
      id: try identifier(pause, "pause"), habit: try optionalIdentifier(habit, "habit"),
      first: try first.required("from"), last: last)
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
