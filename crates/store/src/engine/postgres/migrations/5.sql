-- All leases of a worker end at the same time, so a heartbeat writes one row instead of up to 256.
ALTER TABLE workers ADD COLUMN until timestamptz NOT NULL DEFAULT '-infinity';
ALTER TABLE leases DROP COLUMN until;
