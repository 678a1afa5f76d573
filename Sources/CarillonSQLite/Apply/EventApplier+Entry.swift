internal import CarillonModel

/// Applies withdrawals of entries, and marks of several days.
extension EventApplier {
  func apply(_ voided: EntryVoided) throws {
    for item in voided.items {
      for recording in item.recordings {
        try keptDays.remove(recording: recording)
        try insert(.entryVoid, item.entry, recording)
      }
    }
  }

  func apply(_ marked: DayMarked, _ event: RawEvent) throws {
    // At most `DayMarked.maxDays`, because the payload was validated.
    for day in marked.first.rawValue...marked.last.rawValue {
      try insert(
        .dayMark, marked.habit, CivilDate(rawValue: day), event.id, marked.mark.rawValue)
    }
  }
}

extension EntryRecorded {
  /// Returns the entry that is recorded, given the event's ID.
  func entry(_ event: EventID) -> EntryID {
    kind.entryID(habit: habit, date: date, event: event)
  }
}
