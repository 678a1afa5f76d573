internal import CarillonModel

/// What was put off, what was given to the system, and the store's settings.
extension PayloadReader {
  static func snoozeSet(_ bytes: Bytes) throws(ModelError) -> SnoozeSet {
    var habit: Bytes?
    var slot: Bytes?
    var date: CivilDate?
    var (minute, number) = (0, 0)
    var until: Instant?
    var ignoresQuietHours = false
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): habit = field.bytes
      case (2, .bytes): slot = field.bytes
      case (3, .varint): date = field.date
      case (4, .varint): minute = field.integer
      case (5, .varint): number = field.integer
      case (6, .varint): until = Instant(milliseconds: field.int64)
      case (7, .varint): ignoresQuietHours = field.bool
      default: break
      }
    }
    return SnoozeSet(
      habit: try identifier(habit, "habit"),
      snooze: Snooze(
        slot: try identifier(slot, "slot"),
        nominal: CivilDateTime(date: try date.required("date"), time: try time(minute)),
        number: number, until: until, ignoresQuietHours: ignoresQuietHours))
  }

  static func planSubmitted(_ bytes: Bytes) throws(ModelError) -> PlanSubmitted {
    var submitted = PlanSubmitted(
      added: 0, removed: 0, idsDigest: [], coverageUntil: nil, dropped: 0, capacity: 0)
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .varint): submitted.added = field.integer
      case (2, .varint): submitted.removed = field.integer
      case (3, .varint): submitted.failed = field.integer
      case (4, .bytes): submitted.idsDigest = [UInt8](field.bytes)
      case (5, .varint): submitted.coverageUntil = Instant(milliseconds: field.int64)
      case (6, .varint): submitted.dropped = field.integer
      case (7, .varint): submitted.capacity = field.integer
      case (8, .varint): submitted.at = Instant(milliseconds: field.int64)
      default: break
      }
    }
    return submitted
  }

  static func settingsSet(_ bytes: Bytes) throws(ModelError) -> SettingsSet {
    var set = SettingsSet(name: "", value: nil)
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): set.name = try field.text("name")
      case (2, .bytes): set.value = try field.text("value")
      default: break
      }
    }
    return set
  }
}
