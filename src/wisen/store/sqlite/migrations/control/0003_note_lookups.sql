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
