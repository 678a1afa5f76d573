internal import CarillonModel

/// What was done on dates, and what was said of them.
extension EventApplier {
  func apply(_ recorded: EntryRecorded, to entry: EntryID, _ event: RawEvent) throws {
    let statement = try statement(.entry)
    statement.bind(1, recorded.habit)
    statement.bind(2, recorded.date)
    statement.bind(3, entry)
    statement.bind(4, event.id)
    statement.bind(5, recorded.value)
    statement.bind(6, recorded.at?.milliseconds ?? event.id.timestamp.milliseconds)
    statement.bind(7, recorded.note)
    try statement.run()
  }

  func apply(_ voided: EntryVoided) throws {
    let statement = try statement(.entryVoid)
    for item in voided.items {
      statement.bind(1, item.entry)
      for recording in item.recordings {
        statement.bind(2, recording)
        try statement.run()
      }
    }
  }

  func apply(_ marked: DayMarked, _ event: RawEvent) throws {
    let statement = try statement(.dayMark)
    statement.bind(1, marked.habit)
    statement.bind(3, event.id)
    statement.bind(4, marked.mark.rawValue)
    // At most `DayMarked.maxDays`: the payload was validated.
    for day in marked.first.rawValue...marked.last.rawValue {
      statement.bind(2, Int64(day))
      try statement.run()
    }
  }
}

extension EntryRecorded {
  /// Which entry it is of, where it came with an event.
  func entry(_ event: EventID) -> EntryID {
    kind.entryID(habit: habit, date: date, event: event)
  }
}
