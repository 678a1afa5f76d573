-- The logs of many stores. Each table's key starts with the store, so that a store is one range of
-- each index.

-- One row a store; a writer holds its lock from its first look until its commit.
-- stamp: random, and new with each commit, so that no two states of a store share it.
CREATE TABLE log (
  store bytea PRIMARY KEY,
  stamp bigint NOT NULL,
  last_position bigint NOT NULL
);

CREATE TABLE meta (
  store bytea NOT NULL REFERENCES log ON DELETE CASCADE,
  name text NOT NULL,
  value bytea NOT NULL,
  PRIMARY KEY (store, name)
);

-- One row a branch, which each append to the branch replaces: together, the version vector.
CREATE TABLE head (
  store bytea NOT NULL REFERENCES log ON DELETE CASCADE,
  branch bigint NOT NULL,
  value bytea NOT NULL,
  PRIMARY KEY (store, branch)
);

CREATE TABLE closing (
  store bytea NOT NULL REFERENCES log ON DELETE CASCADE,
  position bigint NOT NULL,
  value bytea NOT NULL,
  PRIMARY KEY (store, position)
);

-- Events that are consecutive on their branch and in the log.
-- ids: 32 bytes an event. contents: deflated if that made them smaller.
CREATE TABLE run (
  store bytea NOT NULL REFERENCES log ON DELETE CASCADE,
  position bigint NOT NULL,
  branch bigint NOT NULL,
  sequence bigint NOT NULL,
  count bigint NOT NULL,
  ids bytea NOT NULL,
  contents bytea NOT NULL,
  is_deflated boolean NOT NULL,
  PRIMARY KEY (store, position),
  UNIQUE (store, branch, sequence)
);
