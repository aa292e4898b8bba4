-- name: put_event
-- Keep an event once.
INSERT INTO events (harness, event_id, session_id, at_us, seen_us, body, checksum)
VALUES (:harness, :event_id, :session_id, :at_us, :seen_us, :body, :checksum)
ON CONFLICT (harness, event_id) DO NOTHING;

-- name: event_columns
-- The columns of an event as rows.py reads them, after its row's number.
    seq, harness, event_id, session_id, at_us, seen_us, body, checksum

-- name: newest_events
-- The newest events of a session, newest first.
SELECT
    -- include: event_columns
FROM events WHERE harness = :harness AND session_id = :session_id
ORDER BY at_us DESC, seq DESC LIMIT :limit;

-- name: events_of_session
-- The events of a session beyond a place in the order of their times; `at_us` NULL is its beginning.
SELECT
    -- include: event_columns
FROM events WHERE harness = :harness AND session_id = :session_id
AND (:at_us IS NULL OR (at_us, seq) > (:at_us, :seq))
ORDER BY at_us, seq LIMIT :limit;

-- name: events_near
-- The events of a session around a moment, oldest first.
SELECT
    -- include: event_columns
FROM events WHERE harness = :harness AND session_id = :session_id
AND at_us BETWEEN :at_us - :within_us AND :at_us + :within_us
ORDER BY at_us, seq;

-- name: session_columns
-- The columns of a session as rows.py reads them, after its row's number.
    rowid, harness, session_id, last_us, promoted_seq, body, checksum

-- name: session_by_id
-- One session.
SELECT
    -- include: session_columns
FROM sessions WHERE harness = :harness AND session_id = :session_id;

-- name: sessions_by_activity
-- Sessions, last active first.
SELECT
    -- include: session_columns
FROM sessions ORDER BY last_us DESC LIMIT :limit;

-- name: oldest_event
-- When the oldest event that is still kept happened.
SELECT min(at_us) FROM events;

-- name: last_activity
-- When a session was last active, of those that were last active by then.
SELECT max(last_us) FROM sessions WHERE last_us <= :until_us;

-- name: session_count
-- How many sessions there are.
SELECT count(*) FROM sessions;

-- name: sessions_with_signals
-- Silent sessions with signals that no job was given, longest silent first; one of the future is silent as well.
SELECT
    -- include: session_columns
FROM sessions AS s
WHERE (last_us < :before_us OR last_us > :now_us) AND EXISTS (
    SELECT 1 FROM signals AS g
    WHERE g.harness = s.harness AND g.session_id = s.session_id AND g.seq > s.promoted_seq
)
ORDER BY last_us LIMIT :limit;

-- name: put_session
-- Insert or replace a session.
INSERT INTO sessions (harness, session_id, last_us, promoted_seq, body, checksum)
VALUES (:harness, :session_id, :last_us, :promoted_seq, :body, :checksum)
ON CONFLICT DO UPDATE SET
    last_us = excluded.last_us, promoted_seq = excluded.promoted_seq, body = excluded.body,
    checksum = excluded.checksum;

-- name: sessions_in_use
-- The sessions whose working state is still needed: active since, or with signals that no job has been given.
    SELECT harness, session_id FROM sessions WHERE last_us >= :before_us
    UNION
    SELECT g.harness, g.session_id
    FROM signals AS g
    LEFT JOIN sessions AS s ON s.harness = g.harness AND s.session_id = g.session_id
    WHERE g.seq > coalesce(s.promoted_seq, 0)

-- name: drop_events
-- Delete old events of sessions that are not in use.
DELETE FROM events WHERE at_us < :before_us AND (harness, session_id) NOT IN (
    -- include: sessions_in_use
);

-- name: drop_signals
-- Delete old signals of sessions that are not in use.
DELETE FROM signals WHERE at_us < :before_us AND (harness, session_id) NOT IN (
    -- include: sessions_in_use
);

-- name: drop_receipts
-- Delete old receipts of sessions that are not in use.
DELETE FROM receipts WHERE at_us < :before_us AND (harness, session_id) NOT IN (
    -- include: sessions_in_use
);

-- name: drop_sessions
-- Delete sessions that were not active since and of which nothing waits, but for the newest ones.
DELETE FROM sessions
WHERE last_us < :before_us
    AND NOT EXISTS (SELECT 1 FROM signals AS g WHERE g.harness = sessions.harness AND g.session_id = sessions.session_id)
    AND rowid NOT IN (SELECT rowid FROM sessions ORDER BY last_us DESC LIMIT :kept);

-- name: drop_jobs
-- Delete old jobs that are finished.
DELETE FROM jobs WHERE state IN ('done', 'failed') AND max(created_us, due_us) < :before_us;

-- name: put_signal
-- Append a signal once.
INSERT INTO signals (harness, session_id, key, at_us, body, checksum)
VALUES (:harness, :session_id, :key, :at_us, :body, :checksum)
ON CONFLICT (key) DO NOTHING;

-- name: signal_columns
-- The columns of a signal as rows.py reads them, after its number.
    seq, harness, session_id, key, at_us, body, checksum

-- name: signals_after
-- The signals of a session beyond a number, in order.
SELECT
    -- include: signal_columns
FROM signals WHERE harness = :harness AND session_id = :session_id AND seq > :seq ORDER BY seq;

-- name: lookup_columns
-- The columns of a lookup as rows.py reads them, after its number.
    number, graph, symbol, harness, session_id, event_id, at_us, body, checksum

-- name: put_lookup
-- Keep a look at a name once a session, and no copy of another session's.
INSERT INTO lookups (graph, symbol, harness, session_id, event_id, at_us, body, checksum)
VALUES (:graph, :symbol, :harness, :session_id, :event_id, :at_us, :body, :checksum)
ON CONFLICT DO NOTHING;

-- name: lookups_of_symbol
-- The looks at a name, newest first.
SELECT
    -- include: lookup_columns
FROM lookups WHERE graph = :graph AND symbol = :symbol ORDER BY at_us DESC, number DESC LIMIT :limit;

-- name: drop_lookups
-- Delete old lookups, and all but the newest of each graph.
DELETE FROM lookups
WHERE at_us < :lookups_us OR number IN (
    SELECT number FROM (
        SELECT number, row_number() OVER (PARTITION BY graph ORDER BY at_us DESC, number DESC) AS place FROM lookups
    ) WHERE place > :kept_lookups
);

-- name: drop_lookups_holding
-- Delete the lookups made in events, or that the function `mentions` is true of.
DELETE FROM lookups
WHERE (session_id, event_id) IN (SELECT value ->> 0, value ->> 1 FROM json_each(:refs))
    OR mentions(CAST(body AS BLOB));

-- name: set_aside_lookup
-- Move a damaged lookup to where damaged rows are kept.
INSERT OR IGNORE INTO damaged (origin, row_id, what, content)
SELECT 'lookups', number, :what,
    CAST(concat_ws(char(31), graph, symbol, harness, session_id, event_id, at_us, body, checksum) AS BLOB)
FROM lookups WHERE number = :row;
DELETE FROM lookups WHERE number = :row;

-- name: some_lookups
-- The next rows of lookups after one.
SELECT
    -- include: lookup_columns
FROM lookups WHERE number > :after ORDER BY number LIMIT :limit;

-- name: job_columns
-- The columns of a job as rows.py reads them, after its row's number.
    seq, job_id, kind, key, state, created_us, due_us, body, checksum

-- name: put_job
-- Queue a job, unless one with its id, or a waiting one with its kind and key, is there.
INSERT INTO jobs (job_id, kind, key, state, created_us, due_us, body, checksum)
VALUES (:job_id, :kind, :key, :state, :created_us, :due_us, :body, :checksum)
ON CONFLICT DO NOTHING;

-- name: change_job
-- Give a job another state.
UPDATE jobs SET state = :state, due_us = :due_us, body = :body, checksum = :checksum WHERE job_id = :job_id;

-- name: job_by_id
-- One job.
SELECT
    -- include: job_columns
FROM jobs WHERE job_id = :job_id;

-- name: waiting_job
-- The queued or running job with this kind and key.
SELECT
    -- include: job_columns
FROM jobs WHERE kind = :kind AND key = :key AND state IN ('queued', 'running');

-- name: oldest_due_job
-- The queued job that has been due for longest; one beyond the longest wait was put off by a clock that ran ahead.
SELECT
    -- include: job_columns
FROM jobs
WHERE seq IN (
    -- each by itself, because an index then gives the first one and nothing is sorted, however many wait
    SELECT seq FROM (SELECT seq FROM jobs WHERE state = 'queued' AND due_us <= :now_us ORDER BY due_us, seq LIMIT 1)
    UNION ALL
    SELECT seq FROM (SELECT seq FROM jobs WHERE state = 'queued' AND due_us > :far_us ORDER BY due_us, seq LIMIT 1)
)
ORDER BY due_us, seq LIMIT 1;

-- name: is_queue_full
-- A row when so many jobs are queued already.
SELECT 1 FROM jobs WHERE state = 'queued' LIMIT 1 OFFSET :most - 1;

-- name: running_jobs
-- The jobs that somebody took.
SELECT
    -- include: job_columns
FROM jobs WHERE state = 'running' ORDER BY seq;

-- name: newest_jobs
-- Jobs, newest first.
SELECT
    -- include: job_columns
FROM jobs ORDER BY created_us DESC, seq DESC LIMIT :limit;

-- name: job_counts
-- The number of jobs by state.
SELECT state, count(*) FROM jobs GROUP BY state;

-- name: next_job
-- The queued job that is due next.
SELECT
    -- include: job_columns
FROM jobs WHERE state = 'queued' ORDER BY due_us LIMIT 1;

-- name: receipt_columns
-- The columns of a receipt as rows.py reads them, after its row's number.
    seq, receipt_id, harness, session_id, epoch, at_us, graphs, body, checksum

-- name: put_receipt
-- Keep a receipt once.
INSERT INTO receipts (receipt_id, harness, session_id, epoch, at_us, graphs, body, checksum)
VALUES (:receipt_id, :harness, :session_id, :epoch, :at_us, :graphs, :body, :checksum)
ON CONFLICT (receipt_id) DO NOTHING;

-- name: newest_receipts
-- Receipts, newest first, of one harness, session or graph, or of all.
SELECT
    -- include: receipt_columns
FROM receipts
WHERE (:harness = '' OR harness = :harness) AND (:session_id = '' OR session_id = :session_id)
    AND (:graph IS NULL OR EXISTS (SELECT 1 FROM json_each(iif(json_valid(graphs), graphs, '[]')) WHERE value = :graph))
ORDER BY at_us DESC, seq DESC LIMIT :limit;

-- name: receipts_of_epoch
-- The receipts of a session since its last compaction, oldest first.
SELECT
    -- include: receipt_columns
FROM receipts
WHERE harness = :harness AND session_id = :session_id AND epoch = :epoch ORDER BY at_us, seq;

-- name: claim_by_graph
-- The root claim of a graph.
SELECT graph, graph, body, checksum FROM root_claims WHERE graph = :graph;

-- name: put_claim
-- Insert or replace a root claim.
INSERT INTO root_claims (graph, body, checksum) VALUES (:graph, :body, :checksum)
ON CONFLICT DO UPDATE SET body = excluded.body, checksum = excluded.checksum;

-- name: aliases
-- Every graph id that is now known by another.
SELECT old, old, new, checksum FROM aliases ORDER BY old;

-- name: put_alias
-- Insert or replace an alias.
INSERT INTO aliases (old, new, checksum) VALUES (:old, :new, :checksum)
ON CONFLICT DO UPDATE SET new = excluded.new, checksum = excluded.checksum;

-- name: drop_alias
-- An id that is in use again is no alias any more.
DELETE FROM aliases WHERE old = :old;

-- name: add_count
-- Add to a counter.
INSERT INTO counters (name, count) VALUES (:name, :by) ON CONFLICT DO UPDATE SET count = count + excluded.count;

-- name: counters
-- All counters.
SELECT name, count FROM counters ORDER BY name;

-- name: events_holding
-- The events that are referred to, or that the function `mentions` is true of: what it means is the caller's.
SELECT
    -- include: event_columns
FROM events
WHERE (session_id, event_id) IN (SELECT value ->> 0, value ->> 1 FROM json_each(:refs))
    OR mentions(CAST(body AS BLOB));

-- name: signals_holding
-- The signals whose evidence is among events, or that `mentions` is true of.
SELECT
    -- include: signal_columns
FROM signals
WHERE EXISTS (
    SELECT 1 FROM json_each(iif(json_valid(body), body, '{}'), '$.evidence') AS e JOIN json_each(:refs) AS r
        ON e.value ->> 'session_id' = r.value ->> 0 AND e.value ->> 'event_id' = r.value ->> 1
) OR mentions(CAST(body AS BLOB));

-- name: receipts_holding
-- The receipts of the sessions that are referred to, or that `mentions` is true of.
SELECT
    -- include: receipt_columns
FROM receipts
WHERE session_id IN (SELECT value ->> 0 FROM json_each(:refs)) OR mentions(CAST(body AS BLOB));

-- name: blank_event
-- Put an event without its words in its place.
UPDATE events SET body = :body, checksum = :checksum WHERE harness = :harness AND event_id = :event_id;

-- name: blank_receipt
-- Put a receipt without its words in its place.
UPDATE receipts SET body = :body, checksum = :checksum WHERE receipt_id = :receipt_id;

-- name: drop_signal
-- Delete one signal.
DELETE FROM signals WHERE seq = :seq;

-- name: set_aside_event
-- Move a damaged event to where damaged rows are kept.
INSERT OR IGNORE INTO damaged (origin, row_id, what, content)
SELECT 'events', seq, :what,
    CAST(concat_ws(char(31), harness, event_id, session_id, at_us, seen_us, body, checksum) AS BLOB)
FROM events WHERE seq = :row;
DELETE FROM events WHERE seq = :row;

-- name: set_aside_session
-- Move a damaged session to where damaged rows are kept.
INSERT OR IGNORE INTO damaged (origin, row_id, what, content)
SELECT 'sessions', rowid, :what,
    CAST(concat_ws(char(31), harness, session_id, last_us, promoted_seq, body, checksum) AS BLOB)
FROM sessions WHERE rowid = :row;
DELETE FROM sessions WHERE rowid = :row;

-- name: set_aside_signal
-- Move a damaged signal to where damaged rows are kept.
INSERT OR IGNORE INTO damaged (origin, row_id, what, content)
SELECT 'signals', seq, :what, CAST(concat_ws(char(31), harness, session_id, key, at_us, body, checksum) AS BLOB)
FROM signals WHERE seq = :row;
DELETE FROM signals WHERE seq = :row;

-- name: set_aside_job
-- Move a damaged job to where damaged rows are kept.
INSERT OR IGNORE INTO damaged (origin, row_id, what, content)
SELECT 'jobs', seq, :what,
    CAST(concat_ws(char(31), job_id, kind, key, state, created_us, due_us, body, checksum) AS BLOB)
FROM jobs WHERE seq = :row;
DELETE FROM jobs WHERE seq = :row;

-- name: set_aside_receipt
-- Move a damaged receipt to where damaged rows are kept.
INSERT OR IGNORE INTO damaged (origin, row_id, what, content)
SELECT 'receipts', seq, :what,
    CAST(concat_ws(char(31), receipt_id, harness, session_id, epoch, at_us, graphs, body, checksum) AS BLOB)
FROM receipts WHERE seq = :row;
DELETE FROM receipts WHERE seq = :row;

-- name: set_aside_claim
-- Move a damaged root claim to where damaged rows are kept.
INSERT OR IGNORE INTO damaged (origin, row_id, what, content)
SELECT 'root_claims', graph, :what, CAST(concat_ws(char(31), graph, body, checksum) AS BLOB)
FROM root_claims WHERE graph = :row;
DELETE FROM root_claims WHERE graph = :row;

-- name: set_aside_alias
-- Move a damaged alias to where damaged rows are kept.
INSERT OR IGNORE INTO damaged (origin, row_id, what, content)
SELECT 'aliases', old, :what, CAST(concat_ws(char(31), old, new, checksum) AS BLOB)
FROM aliases WHERE old = :row;
DELETE FROM aliases WHERE old = :row;

-- name: damaged_rows
-- What was found damaged, newest first, and how much of it there is.
SELECT origin, row_id, what, count(*) OVER () FROM damaged ORDER BY number DESC LIMIT :limit;

-- name: drop_damaged
-- Delete damaged rows that were found long ago.
DELETE FROM damaged WHERE found_us < :before_us;

-- name: drop_damaged_holding
-- Delete the damaged rows in which the key of an event occurs, or that `mentions` is true of.
DELETE FROM damaged
WHERE EXISTS (SELECT 1 FROM json_each(:refs) WHERE instr(CAST(content AS TEXT), value ->> 1)) OR mentions(content);

-- name: some_events
-- The next rows of events after one.
SELECT
    -- include: event_columns
FROM events WHERE seq > :after ORDER BY seq LIMIT :limit;

-- name: some_sessions
-- The next rows of sessions after one.
SELECT
    -- include: session_columns
FROM sessions WHERE rowid > :after ORDER BY rowid LIMIT :limit;

-- name: some_signals
-- The next rows of signals after one.
SELECT
    -- include: signal_columns
FROM signals WHERE seq > :after ORDER BY seq LIMIT :limit;

-- name: some_jobs
-- The next rows of jobs after one.
SELECT
    -- include: job_columns
FROM jobs WHERE seq > :after ORDER BY seq LIMIT :limit;

-- name: some_receipts
-- The next rows of receipts after one.
SELECT
    -- include: receipt_columns
FROM receipts WHERE seq > :after ORDER BY seq LIMIT :limit;
