-- How far the log is applied. One row; written in the transaction that applies the events.
CREATE TABLE checkpoint (
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  -- The store whose log it is: 16 bytes.
  store BLOB NOT NULL,
  -- The position of the last event applied; 0 before the first.
  position INTEGER NOT NULL,
  -- The ID of that event, 32 bytes; tells a log that is not the one applied. NULL at 0.
  event BLOB,
  -- How many events are of a kind that this build does not know.
  unknown_count INTEGER NOT NULL,
  -- How many payloads of a known kind cannot be read, or break a limit.
  unreadable_count INTEGER NOT NULL,
  -- SHA-256 of the projected rows, 32 bytes, and the position at which it was computed.
  digest BLOB,
  digest_position INTEGER
) STRICT;
