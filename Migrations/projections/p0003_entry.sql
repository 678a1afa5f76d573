-- Recordings of entries: a grow set.
CREATE TABLE entry (
  -- HabitID, 16 bytes.
  habit BLOB NOT NULL,
  -- Days since 1970-01-01.
  day INTEGER NOT NULL,
  -- EntryID, 16 bytes: computed from what the entry is of.
  entry BLOB NOT NULL,
  -- EventID of the recording, 32 bytes.
  event BLOB NOT NULL,
  -- Thousandths; 1000 is done once.
  value INTEGER NOT NULL,
  -- When it was done: milliseconds since 1970 UTC.
  at INTEGER NOT NULL,
  note TEXT,
  PRIMARY KEY (habit, day, entry, event)
) STRICT, WITHOUT ROWID;

-- Recordings that were taken back: removal by name. An entry lives while one recording of it is
-- not here; a void may come before the recording that it names.
CREATE TABLE entry_void (
  -- EntryID, 16 bytes.
  entry BLOB NOT NULL,
  -- EventID of the recording, 32 bytes.
  event BLOB NOT NULL,
  PRIMARY KEY (entry, event)
) STRICT, WITHOUT ROWID;

-- What the person said of dates, each a register.
CREATE TABLE day_mark (
  -- HabitID, 16 bytes.
  habit BLOB NOT NULL,
  -- Days since 1970-01-01.
  day INTEGER NOT NULL,
  -- EventID, 32 bytes.
  event BLOB NOT NULL,
  -- skip, no or clear.
  mark TEXT NOT NULL,
  PRIMARY KEY (habit, day)
) STRICT, WITHOUT ROWID;
