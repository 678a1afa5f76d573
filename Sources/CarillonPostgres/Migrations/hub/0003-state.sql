-- state: serving, filling (a migration of all people to this hub has not ended), or moved (all
-- people are in another hub). Hubs use the database only while it is serving.
ALTER TABLE hub ADD COLUMN state text NOT NULL DEFAULT 'serving';
