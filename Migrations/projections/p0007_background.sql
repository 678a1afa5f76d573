-- How the devices' last wakes in the background ended, by reason: own registers.
CREATE TABLE wake (
  -- ReplicaID, 16 bytes.
  replica BLOB NOT NULL,
  -- fetch, push, refresh or launch.
  reason TEXT NOT NULL,
  -- EventID, 32 bytes.
  event BLOB NOT NULL,
  -- newData, noData or failed.
  result TEXT NOT NULL,
  -- How many things were new.
  new_count INTEGER NOT NULL,
  PRIMARY KEY (replica, reason)
) STRICT, WITHOUT ROWID;

-- How the devices registered for remote notifications, by environment: own registers.
CREATE TABLE push_token (
  -- ReplicaID, 16 bytes.
  replica BLOB NOT NULL,
  environment TEXT NOT NULL,
  -- EventID, 32 bytes.
  event BLOB NOT NULL,
  -- The token's bytes, or why there is none; one of them is NULL.
  token BLOB,
  error TEXT,
  PRIMARY KEY (replica, environment)
) STRICT, WITHOUT ROWID;

-- Remote notifications, each a register by its id: a later one of the same id replaces it.
CREATE TABLE push (
  push TEXT NOT NULL PRIMARY KEY,
  -- EventID, 32 bytes; the event holds the content.
  event BLOB NOT NULL,
  -- ReplicaID of the receiver, 16 bytes.
  replica BLOB NOT NULL,
  -- alert, background, both or malformed.
  kind TEXT NOT NULL,
  -- 1: the id is the sender's collapse id.
  collapses INTEGER NOT NULL,
  category TEXT,
  thread TEXT,
  -- The first 16 hexadecimal digits of the SHA-256 of the content.
  revision TEXT NOT NULL,
  -- When: milliseconds since 1970 UTC.
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Files of other apps that were imported, each a register by its hash.
CREATE TABLE import_file (
  -- SHA-256 of the file, 32 bytes.
  file_hash BLOB NOT NULL PRIMARY KEY,
  -- EventID, 32 bytes.
  event BLOB NOT NULL,
  -- The payload of the import.finished, byte for byte.
  payload BLOB NOT NULL
) STRICT, WITHOUT ROWID;
