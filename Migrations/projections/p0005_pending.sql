-- The pending queue of this replica: device-local, and no part of the state's digest.

-- What the kept plan was made from, and what it says as a whole. At most one row.
CREATE TABLE plan (
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  -- The log's position, the replica, and the settings for which it was planned.
  position INTEGER NOT NULL,
  -- ReplicaID, 16 bytes.
  replica BLOB NOT NULL,
  -- The zone's name in the IANA database, and the database's version.
  zone TEXT NOT NULL,
  zone_data_version TEXT NOT NULL,
  capacity INTEGER NOT NULL,
  -- Civil days. NULL: as the store's settings say, which are events and so of the position.
  horizon_days INTEGER,
  -- It answers from one instant to before another: milliseconds since 1970 UTC.
  planned_at INTEGER NOT NULL,
  valid_until INTEGER NOT NULL,
  -- Milliseconds since 1970 UTC.
  coverage_until INTEGER NOT NULL,
  next_wake INTEGER NOT NULL,
  -- Civil dates not taken, up to 1000.
  dropped INTEGER NOT NULL,
  -- notDetermined, denied or alertsOff. NULL: nothing blocks it.
  blocked TEXT
) STRICT;

-- The requests of the kept plan, in its order.
CREATE TABLE pending (
  -- From 0.
  place INTEGER NOT NULL PRIMARY KEY,
  -- The request id.
  request TEXT NOT NULL,
  -- HabitID and SlotID, 16 bytes each.
  habit BLOB NOT NULL,
  slot BLOB NOT NULL,
  -- Milliseconds since 1970 UTC. NULL: a place has no time.
  fire_at INTEGER,
  -- The nominal civil date, days since 1970-01-01, and its minute of the day.
  day INTEGER NOT NULL,
  minute INTEGER NOT NULL,
  -- The date and minute by which the occurrence is named, where they differ: of an interval UTC's.
  identity_day INTEGER,
  identity_minute INTEGER,
  -- Under which receipts name it.
  revision TEXT NOT NULL DEFAULT '0',
  -- The occurrences for which it stands besides: a JSON array. NULL: none.
  also_covers TEXT,
  -- 1: the system repeats it.
  repeats INTEGER NOT NULL,
  trigger TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  title TEXT NOT NULL,
  body TEXT,
  sound TEXT,
  -- passive, active, timeSensitive or critical. NULL: the system's own.
  level TEXT,
  thread TEXT NOT NULL,
  -- A JSON object of texts. NULL: empty.
  data TEXT
) STRICT;

-- The slots that the kept plan could not plan, in its order.
CREATE TABLE plan_problem (
  -- From 0.
  place INTEGER NOT NULL PRIMARY KEY,
  -- HabitID and SlotID, 16 bytes each.
  habit BLOB NOT NULL,
  slot BLOB NOT NULL,
  -- The zone that is not known, or NULL: the number of the rule's kind.
  zone TEXT,
  rule INTEGER
) STRICT;

-- From request ids to occurrences, kept for 8 days after a request fired.
CREATE TABLE request (
  -- The request id.
  request TEXT NOT NULL PRIMARY KEY,
  -- HabitID and SlotID, 16 bytes each.
  habit BLOB NOT NULL,
  slot BLOB NOT NULL,
  -- The civil date by which the occurrence is named, days since 1970-01-01, and its minute.
  day INTEGER NOT NULL,
  minute INTEGER NOT NULL,
  -- Under which receipts name it.
  revision TEXT NOT NULL DEFAULT '0',
  -- The occurrences for which it stands besides: a JSON array. NULL: none.
  also_covers TEXT,
  -- Milliseconds since 1970 UTC. NULL: a place has no time.
  fire_at INTEGER
) STRICT, WITHOUT ROWID;
