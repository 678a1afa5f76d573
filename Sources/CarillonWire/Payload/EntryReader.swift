internal import CarillonModel

/// A reader that decodes an `entry.recorded` in one pass.
///
/// Most events of a log are of this kind. This reader allocates nothing for a mark without a note
/// and takes a fifth of the time of ``ProtobufReader``, with the same result.
enum EntryReader {
  static func entryRecorded(_ bytes: UnsafeRawBufferPointer) throws(ModelError) -> EntryRecorded {
    var habit: UnsafeRawBufferPointer?
    var date: CivilDate?
    var value: Int64 = 1000
    var at: Instant?
    var note: String?
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): habit = field.bytes
      case (2, .varint): date = field.date
      // The entry is not a mark.
      case (3, .varint) where field.enumerationNumber != 0: return try described(bytes)
      case (6, .bytes), (9, .bytes):
        let text = try field.text(field.number == 6 ? "source" : "note")
        if field.number == 9 { note = text }
      case (7, .varint): value = field.int64
      case (8, .varint): at = Instant(milliseconds: field.int64)
      default: break
      }
    }
    guard let habit, habit.count == HabitID.byteCount, let date, CivilDate.accepted.contains(date)
    else { return try described(bytes) }
    let entry = EntryRecorded(
      habit: HabitID(loading: habit), date: date, value: value, at: at, note: note)
    // A plain mark has no other limits.
    if value != 1000 || at != nil || note != nil {
      try Payload.entryRecorded(entry).validate()
    }
    return entry
  }

  /// Reads the entry by the kind's description, which also reports missing fields.
  private static func described(
    _ bytes: UnsafeRawBufferPointer
  ) throws(ModelError) -> EntryRecorded {
    var (entry, reader) = (EntryRecorded.blank, try ProtobufReader(bytes))
    try entry.visitFields(&reader)
    try Payload.entryRecorded(entry).validate()
    return entry
  }
}
