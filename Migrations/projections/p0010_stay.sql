-- In which zones this device was, as its plans found it, one stay after another: device-local, and
-- no part of the state's digest. Those that ended within the last days are kept.
CREATE TABLE stay (
  -- ReplicaID, 16 bytes.
  replica BLOB NOT NULL,
  -- When the device was first and last seen there: milliseconds since 1970 UTC.
  since INTEGER NOT NULL,
  seen INTEGER NOT NULL,
  -- The zone's name in the IANA database.
  zone TEXT NOT NULL,
  PRIMARY KEY (replica, since)
) STRICT, WITHOUT ROWID;
