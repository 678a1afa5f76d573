-- What was erased: a grow set. What is covered gives no row in any other table.
CREATE TABLE erasure (
  -- EventID of the data.erased, 32 bytes.
  event BLOB NOT NULL PRIMARY KEY,
  -- 1 a habit, 2 a source of items, 3 the receipts of a habit.
  scope INTEGER NOT NULL,
  -- HabitID, 16 bytes; of 2 the source's name.
  subject ANY NOT NULL,
  -- EventID, 32 bytes: only events up to it. NULL: all.
  up_to BLOB
) STRICT, WITHOUT ROWID;

-- Stretches of the log in which payloads may lie that are covered: to be taken away. Device-local.
CREATE TABLE sweep (
  -- Positions, both included.
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  PRIMARY KEY (first, last)
) STRICT, WITHOUT ROWID;

-- Events whose content is missing, and redacted ones that nothing confirms: what they name as their
-- erasure is not here, is no data.erased, or reaches less far. Device-local: their payloads may
-- come back, and are applied then.
CREATE TABLE settling (
  -- The event's position.
  position INTEGER NOT NULL PRIMARY KEY,
  -- Its EventID, 32 bytes.
  event BLOB NOT NULL,
  -- EventID of what it names as its erasure, 32 bytes. NULL: its content is missing.
  erasure BLOB
) STRICT, WITHOUT ROWID;
