internal import CarillonModel

/// What was done on dates, and what was said of them.
extension EventApplier {
  func apply(_ recorded: EntryRecorded, to entry: EntryID, _ event: RawEvent) throws {
    try insert(
      .entry, recorded.habit, recorded.date, entry, event.id, recorded.value,
      recorded.at ?? event.instant, recorded.note)
  }

  func apply(_ voided: EntryVoided) throws {
    for item in voided.items {
      for recording in item.recordings { try insert(.entryVoid, item.entry, recording) }
    }
  }

  func apply(_ marked: DayMarked, _ event: RawEvent) throws {
    // At most `DayMarked.maxDays`: the payload was validated.
    for day in marked.first.rawValue...marked.last.rawValue {
      try insert(
        .dayMark, marked.habit, CivilDate(rawValue: day), event.id, marked.mark.rawValue)
    }
  }
}

extension EntryRecorded {
  /// Which entry it is of, where it came with an event.
  func entry(_ event: EventID) -> EntryID {
    kind.entryID(habit: habit, date: date, event: event)
  }
}
