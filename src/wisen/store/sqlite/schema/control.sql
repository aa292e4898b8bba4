-- What is kept beside the graphs: sessions, events, signals, jobs, receipts, root claims, aliases, counters.
-- `body` is the whole value as JSON; the columns beside it are what queries filter and sort by.
-- `checksum` covers the row's other values; see checksum.py. Times (`_us`) are microseconds since 1970, UTC.

PRAGMA application_id = 0x77736E63; -- 'wsnc'

CREATE TABLE sessions (
    harness TEXT NOT NULL,
    session_id TEXT NOT NULL,
    last_us INTEGER NOT NULL,
    promoted_seq INTEGER NOT NULL,
    body TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (harness, session_id)
) STRICT;

CREATE INDEX sessions_by_activity ON sessions (last_us);

-- (harness, event_id) is the natural key: the same thing told twice is kept once.
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    harness TEXT NOT NULL,
    event_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    at_us INTEGER NOT NULL,
    seen_us INTEGER NOT NULL,
    body TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    UNIQUE (harness, event_id)
) STRICT;

CREATE INDEX events_by_session ON events (harness, session_id, at_us);

-- `seq` never comes twice: sessions remember up to which one their signals were handed over.
CREATE TABLE signals (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    harness TEXT NOT NULL,
    session_id TEXT NOT NULL,
    key TEXT NOT NULL UNIQUE,
    at_us INTEGER NOT NULL,
    body TEXT NOT NULL,
    checksum INTEGER NOT NULL
) STRICT;

CREATE INDEX signals_by_session ON signals (harness, session_id, seq);

CREATE TABLE jobs (
    seq INTEGER PRIMARY KEY,
    job_id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    state TEXT NOT NULL,
    created_us INTEGER NOT NULL,
    due_us INTEGER NOT NULL,
    body TEXT NOT NULL,
    checksum INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX jobs_waiting ON jobs (kind, key) WHERE state IN ('queued', 'running');
CREATE INDEX jobs_by_due ON jobs (state, due_us);

-- `graphs` is a JSON list of the ids that were read, apart from `body` because receipts are asked for by graph.
CREATE TABLE receipts (
    seq INTEGER PRIMARY KEY,
    receipt_id TEXT NOT NULL UNIQUE,
    harness TEXT NOT NULL,
    session_id TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    at_us INTEGER NOT NULL,
    graphs TEXT NOT NULL,
    body TEXT NOT NULL,
    checksum INTEGER NOT NULL
) STRICT;

CREATE INDEX receipts_by_session ON receipts (harness, session_id, at_us);
CREATE INDEX receipts_by_time ON receipts (at_us);

-- Which names were looked up in which session, and where they were found: one row for a name and a session of a graph.
-- The same call under another session's name is a copy: a fork brings its history along.
CREATE TABLE lookups (
    number INTEGER PRIMARY KEY,
    graph TEXT NOT NULL,
    symbol TEXT NOT NULL,
    harness TEXT NOT NULL,
    session_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    at_us INTEGER NOT NULL,
    body TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    UNIQUE (graph, symbol, harness, session_id),
    UNIQUE (graph, symbol, harness, event_id)
) STRICT;

CREATE INDEX lookups_by_time ON lookups (graph, at_us);

CREATE TABLE root_claims (
    graph TEXT PRIMARY KEY,
    body TEXT NOT NULL,
    checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE aliases (
    old TEXT PRIMARY KEY,
    new TEXT NOT NULL,
    checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE counters (
    name TEXT PRIMARY KEY,
    count INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Rows of the other tables that were found damaged, byte for byte: their columns parted by 0x1F, the checksum last.
-- `found_us` is SQLite's own clock: it only says when a row is old enough to be dropped.
CREATE TABLE damaged (
    number INTEGER PRIMARY KEY,
    origin TEXT NOT NULL,
    row_id TEXT NOT NULL,
    what TEXT NOT NULL,
    found_us INTEGER NOT NULL DEFAULT (unixepoch() * 1000000),
    content BLOB NOT NULL,
    UNIQUE (origin, content)
) STRICT;
