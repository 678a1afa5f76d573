-- People with devices and quotas, and the shards of a hub that has several databases.

-- One person has one store. shard: see StoreID.shard.
-- byte_count: the bytes of ids and contents of the store's runs; each writer of runs keeps it.
-- is_fenced: the store moves to or from this database, so that nobody may use it here.
ALTER TABLE log
  ADD COLUMN shard bigint NOT NULL GENERATED ALWAYS AS (
    (get_byte(sha256(store), 0) * 256 + get_byte(sha256(store), 1)) % 1024
  ) STORED,
  ADD COLUMN byte_count bigint NOT NULL DEFAULT 0,
  ADD COLUMN byte_quota bigint NOT NULL DEFAULT 9223372036854775807,
  ADD COLUMN device_quota bigint NOT NULL DEFAULT 9223372036854775807,
  ADD COLUMN is_fenced boolean NOT NULL DEFAULT false;

CREATE INDEX log_shard ON log (shard, store);

UPDATE log SET byte_count = coalesce(
  (SELECT sum(octet_length(ids) + octet_length(contents)) FROM run WHERE run.store = log.store), 0);

-- Devices and invitations by the digest of their secret. since, expires: milliseconds since 1970.
-- keys: those of a sealed store for the device that is invited, which no server can open.
CREATE TABLE access (
  digest bytea PRIMARY KEY,
  store bytea NOT NULL REFERENCES log ON DELETE CASCADE,
  kind text NOT NULL,
  role text NOT NULL,
  name text,
  since bigint NOT NULL,
  expires bigint,
  keys text
);

CREATE INDEX access_store ON access (store);

-- The SHA-256 of the IDs of erased people, so that none of them is added again.
CREATE TABLE erased (
  digest bytea PRIMARY KEY,
  shard bigint NOT NULL
);

CREATE INDEX erased_shard ON erased (shard);

-- One row: the hub that this database belongs to, and the name of the group that it is.
CREATE TABLE hub (
  id bytea PRIMARY KEY,
  name text NOT NULL
);

-- The shards that this database has. state: here, copying (to another database, and still in use
-- here), fenced (being moved, or moved), arriving. epoch: that of the shard while it is here.
CREATE TABLE held (
  shard bigint PRIMARY KEY,
  state text NOT NULL,
  epoch bigint NOT NULL
);

-- In the database of the group main only: all groups, and the group of each shard.
CREATE TABLE member (
  name text PRIMARY KEY,
  database text NOT NULL
);

CREATE TABLE shard (
  number bigint PRIMARY KEY,
  name text NOT NULL REFERENCES member,
  epoch bigint NOT NULL,
  target text REFERENCES member
);
