-- Reminders that were put off, by occurrence: registers.
CREATE TABLE snooze (
  -- HabitID and SlotID, 16 bytes each.
  habit BLOB NOT NULL,
  slot BLOB NOT NULL,
  -- The nominal civil date, days since 1970-01-01, and its minute of the day.
  day INTEGER NOT NULL,
  minute INTEGER NOT NULL,
  -- The number of the repeat; 0 for the first and for what does not repeat.
  number INTEGER NOT NULL,
  -- EventID, 32 bytes.
  event BLOB NOT NULL,
  -- When it rings instead: milliseconds since 1970 UTC. NULL: taken back.
  until INTEGER,
  -- 1: it rings in quiet hours too.
  ignores_quiet_hours INTEGER NOT NULL,
  PRIMARY KEY (habit, slot, day, minute, number)
) STRICT, WITHOUT ROWID;

-- The snoozes of the occurrences of some dates.
CREATE INDEX snooze_day ON snooze (day) WHERE until IS NOT NULL;

-- The snoozes that end on some date or later, however old their occurrences.
CREATE INDEX snooze_until ON snooze (until) WHERE until IS NOT NULL;

-- The settings of the store, each a register.
CREATE TABLE setting (
  -- As settings.set names it; also one that this version does not know.
  name TEXT NOT NULL PRIMARY KEY,
  -- EventID, 32 bytes.
  event BLOB NOT NULL,
  -- As it was given, understood or not. NULL: the default.
  value TEXT
) STRICT, WITHOUT ROWID;

-- What devices last gave to their systems: own registers.
CREATE TABLE submission (
  -- ReplicaID, 16 bytes.
  replica BLOB NOT NULL PRIMARY KEY,
  -- EventID, 32 bytes.
  event BLOB NOT NULL,
  -- How many requests were added, removed, and refused by the system.
  added INTEGER NOT NULL,
  removed INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  -- SHA-256 of the request ids that were wanted, 32 bytes.
  ids_digest BLOB NOT NULL,
  -- Until when nothing is missing: milliseconds since 1970 UTC. NULL: nothing is covered.
  coverage_until INTEGER,
  -- Civil dates not taken, up to 1000.
  dropped INTEGER NOT NULL,
  -- How many requests the system keeps.
  capacity INTEGER NOT NULL,
  -- When: milliseconds since 1970 UTC.
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
