-- The last logical date on which somebody used the app, by replica: max.
CREATE TABLE activity (
  -- ReplicaID, 16 bytes.
  replica BLOB NOT NULL PRIMARY KEY,
  -- Days since 1970-01-01.
  day INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What replicas say of their devices: own registers.
CREATE TABLE device (
  -- ReplicaID, 16 bytes.
  replica BLOB NOT NULL PRIMARY KEY,
  -- EventID, 32 bytes.
  event BLOB NOT NULL,
  name TEXT NOT NULL,
  -- phone, tablet, watch, desktop or server.
  role TEXT NOT NULL,
  -- The zone's name in the IANA database, and the database's version.
  zone TEXT NOT NULL,
  zone_data_version TEXT NOT NULL,
  -- How many requests the device's system keeps.
  capacity INTEGER NOT NULL,
  -- ReplicaID, 16 bytes: whose history this replica goes on from.
  predecessor BLOB
) STRICT, WITHOUT ROWID;

-- What the devices' systems allowed, one change after another: a grow set of which the newest 1,000
-- of a replica are kept, by event. The last one holds.
CREATE TABLE permission (
  -- ReplicaID, 16 bytes.
  replica BLOB NOT NULL,
  -- EventID, 32 bytes.
  event BLOB NOT NULL,
  -- notDetermined, denied, authorized, provisional or ephemeral.
  status TEXT NOT NULL,
  -- Bits: 1 alert, 2 sound, 4 badge.
  options INTEGER NOT NULL,
  -- From when on: milliseconds since 1970 UTC.
  at INTEGER NOT NULL,
  PRIMARY KEY (replica, event)
) STRICT, WITHOUT ROWID;

-- How persons were asked, each time: a grow set. Prompted once is for ever.
CREATE TABLE permission_asked (
  -- ReplicaID, 16 bytes.
  replica BLOB NOT NULL,
  -- EventID, 32 bytes.
  event BLOB NOT NULL,
  -- primed or prompted.
  step TEXT NOT NULL,
  -- unknown, yes or no.
  outcome TEXT NOT NULL,
  PRIMARY KEY (replica, event)
) STRICT, WITHOUT ROWID;

-- The person's switches for devices, each a register.
CREATE TABLE alerts (
  -- ReplicaID of the device, 16 bytes.
  device BLOB NOT NULL,
  -- alerts, badge or sound.
  switch TEXT NOT NULL,
  -- EventID, 32 bytes.
  event BLOB NOT NULL,
  -- 1 is on.
  value INTEGER NOT NULL,
  PRIMARY KEY (device, switch)
) STRICT, WITHOUT ROWID;
