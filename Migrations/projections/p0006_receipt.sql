-- Items that were fetched, as they were observed: a grow set of which the newest 1,000 of a source
-- and replica are kept, by (event, place).
CREATE TABLE item (
  -- The source's name.
  source TEXT NOT NULL,
  -- ReplicaID of the writer, 16 bytes.
  replica BLOB NOT NULL,
  -- EventID, 32 bytes.
  event BLOB NOT NULL,
  -- The item's place in the event, from 0.
  place INTEGER NOT NULL,
  -- The source's id of the item, and what changes when the item changes.
  item TEXT NOT NULL,
  revision TEXT NOT NULL,
  title TEXT,
  PRIMARY KEY (source, replica, event, place)
) STRICT, WITHOUT ROWID;

-- Whether an item was observed, by any replica.
CREATE INDEX item_key ON item (source, item, revision);

-- The states that notifications came to: a grow set of which the newest 1,000 of a source and
-- replica are kept, by event.
CREATE TABLE receipt (
  -- 1 an occurrence, 2 a fetched item, 3 a push.
  kind INTEGER NOT NULL,
  -- Of an occurrence its HabitID, 16 bytes; of an item the source's name; of a push empty text.
  source ANY NOT NULL,
  -- ReplicaID of the writer, 16 bytes.
  replica BLOB NOT NULL,
  -- EventID, 32 bytes.
  event BLOB NOT NULL,
  -- Of an occurrence: SlotID, 16 bytes, and the nominal date (days since 1970-01-01) and minute.
  slot BLOB,
  day INTEGER,
  minute INTEGER,
  -- Of an item the source's id of it; of a push its id.
  name TEXT,
  revision TEXT NOT NULL,
  -- 1 submitted, 2 delivered, 3 expired, 4 dismissed, 5 opened, 6 acted.
  state INTEGER NOT NULL,
  -- When the device recorded it: milliseconds since 1970 UTC.
  at INTEGER NOT NULL,
  -- When the system shows it, or of delivered when it showed it: milliseconds since 1970 UTC.
  -- NULL: not known.
  fire_at INTEGER,
  PRIMARY KEY (kind, source, replica, event)
) STRICT, WITHOUT ROWID;

-- The receipts of the occurrences of some dates.
CREATE INDEX receipt_day ON receipt (day) WHERE day IS NOT NULL;

-- What the person answered: a grow set of which the newest 1,000 of a source and replica are kept,
-- by event.
CREATE TABLE response (
  -- As in receipt.
  kind INTEGER NOT NULL,
  source ANY NOT NULL,
  replica BLOB NOT NULL,
  event BLOB NOT NULL,
  slot BLOB,
  day INTEGER,
  minute INTEGER,
  name TEXT,
  revision TEXT NOT NULL,
  -- open, done, skip, snooze, dismiss, or the app's own name.
  action TEXT NOT NULL,
  -- What the person wrote.
  text TEXT,
  -- When: milliseconds since 1970 UTC.
  at INTEGER NOT NULL,
  PRIMARY KEY (kind, source, replica, event)
) STRICT, WITHOUT ROWID;
