-- The tables of a corpus. kinds/*.rs say how records become rows. A document has the key of its URL.

-- Known URLs. Four partial indexes are the lists of URLs that are ready, wait, or are buffered. A host's URLs
-- are requested in the order of rank and sequence. The highest bit of a sequence is inverted, so that the
-- signed numbers have the order of the unsigned ones.
CREATE TABLE urls (
    key bytea PRIMARY KEY,
    url text NOT NULL,
    host bigint NOT NULL,
    role text NOT NULL CHECK (role IN ('front', 'section', 'feed', 'sitemap', 'page')),
    state text NOT NULL CHECK (state IN ('ready', 'retry', 'revisit', 'buffered', 'done', 'kept')),
    rank smallint,
    sequence bigint,
    due timestamptz,
    depth integer NOT NULL,
    hops integer NOT NULL,
    tries integer NOT NULL,
    -- How the last visit ended, why, and the URL or document to which that refers.
    outcome text,
    reason text,
    target text,
    -- The document with the text of this page, if another URL has it.
    twin_of bytea,
    -- The date in a feed or sitemap.
    dated timestamptz,
    etag text,
    last_modified text,
    -- The last response with a body, and its position in the archive.
    fetched timestamptz,
    archive_file bigint,
    archive_offset bigint,
    body_sha1 bytea,
    payload_sha1 bytea,
    -- 1000 times the nanoseconds of `dated`, plus those of `fetched`, which these columns cannot hold.
    nanoseconds integer,
    first_visit timestamptz,
    last_visit timestamptz,
    revisit_seconds bigint,
    links_digest bigint,
    -- The raw page of a buffered or kept URL, compressed.
    page bytea,
    CHECK ((state = 'ready') <= (rank IS NOT NULL AND sequence IS NOT NULL)),
    CHECK ((state IN ('retry', 'revisit')) <= (rank IS NOT NULL AND due IS NOT NULL)),
    CHECK ((state = 'buffered') <= (sequence IS NOT NULL))
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE urls ALTER COLUMN page SET STORAGE EXTERNAL;
CREATE INDEX urls_ready ON urls (host, rank, sequence) WHERE state = 'ready';
CREATE INDEX urls_retry ON urls ((host >> 24), due, key) WHERE state = 'retry';
CREATE INDEX urls_revisit ON urls ((host >> 24), due, key) WHERE state = 'revisit';
CREATE INDEX urls_buffered ON urls (host, sequence) WHERE state = 'buffered';

-- Hosts. The number of a host begins with its partition, which is the number divided by 2^24. No index is on a
-- column that changes.
CREATE TABLE hosts (
    name text COLLATE "C" PRIMARY KEY,
    partition smallint NOT NULL CHECK (partition = id >> 24),
    id bigint NOT NULL UNIQUE,
    domain text NOT NULL,
    sequence bigint NOT NULL,
    queued bigint NOT NULL,
    buffered bigint NOT NULL,
    -- The newest version of the template. 0: none.
    template bigint NOT NULL,
    held_until timestamptz,
    outdated boolean NOT NULL,
    paused boolean NOT NULL,
    announced_updates bigint NOT NULL,
    confirmed_updates bigint NOT NULL,
    -- How well the template fits the last pages, as the crawl encodes it.
    health bytea
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.1);
CREATE INDEX hosts_by_partition ON hosts (partition, name);

-- robots.txt of hosts, and of the targets of their redirects, as the fetcher encodes it.
CREATE TABLE robots (name text COLLATE "C" PRIMARY KEY, rules bytea NOT NULL);

CREATE TABLE templates (
    host text COLLATE "C" REFERENCES hosts ON DELETE CASCADE,
    version bigint,
    trained timestamptz NOT NULL DEFAULT now(),
    template json NOT NULL,
    PRIMARY KEY (host, version)
);

-- Runs, and what each host gave in each run. The outcomes count the visits by how they ended.
CREATE TABLE runs (
    number bigint PRIMARY KEY,
    started timestamptz NOT NULL,
    ended timestamptz,
    replayed boolean NOT NULL
);
CREATE TABLE host_counts (
    run bigint,
    host text COLLATE "C",
    fetched bigint NOT NULL,
    bytes bigint NOT NULL,
    milliseconds bigint NOT NULL,
    requests bigint NOT NULL,
    outcomes jsonb NOT NULL,
    refused jsonb NOT NULL,
    broken_lists jsonb NOT NULL,
    PRIMARY KEY (run, host)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.1);

-- Documents. The text is in object storage: `length` bytes from `position` of the file with this number.
CREATE TABLE documents (
    id bytea PRIMARY KEY,
    url text NOT NULL,
    host text NOT NULL,
    title text,
    language text NOT NULL,
    published timestamptz,
    fetched timestamptz NOT NULL,
    words bigint NOT NULL,
    confidence smallint,
    method text NOT NULL,
    template bigint,
    file bigint NOT NULL,
    position bigint NOT NULL,
    length bigint NOT NULL,
    -- The hash by which equal texts are found. Only one document may have a text.
    content_hash bytea,
    -- The document's number, which begins with its partition, and its cluster of near-duplicates. A document
    -- that is no member represents its cluster or is alone. The rest serves to find near-duplicates.
    number bigint,
    cluster bigint,
    is_member boolean,
    signed_words bigint,
    signature bytea,
    related jsonb,
    CONSTRAINT documents_content_hash UNIQUE (content_hash)
);
CREATE INDEX documents_by_number ON documents (number);
CREATE INDEX documents_members ON documents (cluster, number) WHERE is_member;

-- Clusters with at least one member, and the number of the representative.
CREATE TABLE clusters (
    cluster bigint PRIMARY KEY,
    representative bigint NOT NULL,
    members bigint NOT NULL CHECK (members > 0)
);

-- Each cluster, followed by its members.
CREATE VIEW cluster_records AS
    SELECT cluster, -1::bigint AS number, representative, members, NULL::bytea AS id,
        NULL::bigint AS signed_words, NULL::bytea AS signature, NULL::jsonb AS related
    FROM clusters
    UNION ALL
    SELECT cluster, number, NULL, NULL, id, signed_words, signature, related FROM documents WHERE is_member;

-- Further URLs with the text of a document.
CREATE TABLE aliases (
    document bytea REFERENCES documents DEFERRABLE INITIALLY DEFERRED,
    key bytea,
    url text NOT NULL,
    PRIMARY KEY (document, key)
);

-- Earlier revisions of documents. The row with number 0 has how many there are, and since when the page is gone.
CREATE TABLE revisions (
    document bytea,
    number bigint,
    earlier bigint,
    gone timestamptz,
    file bigint,
    position bigint,
    length bigint,
    PRIMARY KEY (document, number)
);

-- The valid files in object storage.
CREATE TABLE files (
    kind text COLLATE "C" CHECK (kind IN ('archive', 'documents')),
    number bigint,
    name text NOT NULL,
    bytes bigint NOT NULL,
    records bigint NOT NULL,
    stored timestamptz NOT NULL,
    PRIMARY KEY (kind, number)
);

-- How far files of other crawlers were read, by partition.
CREATE TABLE replays (
    purpose text COLLATE "C",
    partition smallint,
    file text COLLATE "C",
    position bigint NOT NULL,
    PRIMARY KEY (purpose, partition, file)
);

-- What one partition requests of another.
CREATE TABLE messages (partition smallint, id bytea, message bytea NOT NULL, PRIMARY KEY (partition, id));

-- Totals of the partitions, and records of the whole corpus.
CREATE TABLE records (key bytea PRIMARY KEY, value bytea NOT NULL)
    WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.1);

-- Which worker owns which partition. Times are the database's.
CREATE TABLE leases (
    partition smallint PRIMARY KEY,
    owner text,
    epoch bigint NOT NULL DEFAULT 0,
    until timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 50);
INSERT INTO leases (partition) SELECT generate_series(0, 255);

-- Processes that work on the crawl. A process that starts again gets another session.
CREATE TABLE workers (
    session text PRIMARY KEY,
    name text NOT NULL,
    version text NOT NULL,
    started timestamptz NOT NULL DEFAULT now(),
    seen timestamptz NOT NULL DEFAULT now(),
    pages bigint NOT NULL DEFAULT 0,
    rate double precision NOT NULL DEFAULT 0,
    idle boolean NOT NULL DEFAULT false,
    -- Between two crawls: it has no partitions and wants none.
    waiting boolean NOT NULL DEFAULT false,
    flushes bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- Settings in which all workers must agree.
CREATE TABLE settings (name text PRIMARY KEY, value text NOT NULL);

-- The name of the corpus, which is also in its object storage, and the storage's address.
CREATE TABLE corpus (name text PRIMARY KEY, objects text);
INSERT INTO corpus (name) VALUES (gen_random_uuid()::text);

-- Numbers that are given out.
CREATE TABLE counters (name text PRIMARY KEY, next bigint NOT NULL);
