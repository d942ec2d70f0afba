-- Every table is an ordered map from a key to a record, as src/keys.rs and src/records.rs
-- tell them, and is distributed by its key where an engine distributes tables.

-- The frontier: a URL's record with its place in its host's ready list, and the other lists.
CREATE TABLE urls (key bytea PRIMARY KEY, value bytea NOT NULL, place bytea);
CREATE INDEX urls_by_place ON urls (place) WHERE place IS NOT NULL;
CREATE TABLE queue (key bytea PRIMARY KEY, value bytea NOT NULL);

-- Hosts, their robots.txt, templates and counts; runs; what is known of the whole.
CREATE TABLE hosts (key bytea PRIMARY KEY, value bytea NOT NULL);
CREATE TABLE records (key bytea PRIMARY KEY, value bytea NOT NULL);

-- The corpus: where a document lies, and the files that count.
CREATE TABLE documents (key bytea PRIMARY KEY, value bytea NOT NULL);

-- Which text leads to which document, signatures, clusters.
CREATE TABLE dedup (key bytea PRIMARY KEY, value bytea NOT NULL);

-- Raw pages that are kept for learning.
CREATE TABLE pages (key bytea PRIMARY KEY, value bytea NOT NULL);

-- What one part of the crawl tells another.
CREATE TABLE messages (key bytea PRIMARY KEY, value bytea NOT NULL);

-- Who has which part of the crawl. Times are the database's.
CREATE TABLE leases (
    part smallint PRIMARY KEY,
    owner text,
    epoch bigint NOT NULL DEFAULT 0,
    until timestamptz NOT NULL DEFAULT '-infinity'
);
INSERT INTO leases (part) SELECT generate_series(0, 255);

-- Processes that work on the crawl, each life of one a row.
CREATE TABLE workers (
    session text PRIMARY KEY,
    name text NOT NULL,
    version text NOT NULL,
    started timestamptz NOT NULL DEFAULT now(),
    seen timestamptz NOT NULL DEFAULT now(),
    pages bigint NOT NULL DEFAULT 0,
    rate double precision NOT NULL DEFAULT 0,
    idle boolean NOT NULL DEFAULT false,
    -- Between two crawls: it has no parts and wants none.
    waiting boolean NOT NULL DEFAULT false,
    flushes bigint NOT NULL DEFAULT 0
);

-- Settings in which all workers must agree.
CREATE TABLE settings (name text PRIMARY KEY, value text NOT NULL);

-- The name of the corpus, which stands beside its files, too, and where those are.
CREATE TABLE corpus (name text PRIMARY KEY, objects text);
INSERT INTO corpus (name) VALUES (gen_random_uuid()::text);

-- Numbers that are given out.
CREATE TABLE counters (name text PRIMARY KEY, next bigint NOT NULL);
