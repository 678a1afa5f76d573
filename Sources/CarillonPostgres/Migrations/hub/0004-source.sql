-- source: while the state is filling, the ID of the hub whose people are copied; NULL if an earlier
-- version began the migration.
ALTER TABLE hub ADD COLUMN source bytea;
