-- A compaction joins small files in one object. A file of the archive is then the part of `bytes` bytes from
-- `position`. A document is then in a Parquet file, in the row with its id, and the document's own position has no
-- meaning.
ALTER TABLE files ADD COLUMN position bigint NOT NULL DEFAULT 0;
