-- name: put_event
-- Keep an event once.
INSERT INTO events (harness, event_id, session_id, at_us, seen_us, body, checksum)
VALUES (:harness, :event_id, :session_id, :at_us, :seen_us, :body, :checksum)
ON CONFLICT (harness, event_id) DO NOTHING;

-- name: newest_events
-- The newest events of a session, newest first.
SELECT harness, event_id, session_id, at_us, seen_us, body, checksum
FROM events WHERE harness = :harness AND session_id = :session_id
ORDER BY at_us DESC, seq DESC LIMIT :limit;

-- name: session_by_id
-- One session.
SELECT harness, session_id, last_us, promoted_seq, body, checksum
FROM sessions WHERE harness = :harness AND session_id = :session_id;

-- name: sessions_by_activity
-- Sessions, last active first.
SELECT harness, session_id, last_us, promoted_seq, body, checksum
FROM sessions ORDER BY last_us DESC LIMIT :limit;

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

-- name: put_signal
-- Append a signal once.
INSERT INTO signals (harness, session_id, key, at_us, body, checksum)
VALUES (:harness, :session_id, :key, :at_us, :body, :checksum)
ON CONFLICT (key) DO NOTHING;

-- name: signals_after
-- The signals of a session beyond a number, in order.
SELECT seq, harness, session_id, key, at_us, body, checksum
FROM signals WHERE harness = :harness AND session_id = :session_id AND seq > :seq ORDER BY seq;

-- name: job_columns
-- The columns of a job as rows.py reads them.
    job_id, kind, key, state, created_us, due_us, body, checksum

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

-- name: oldest_due_job
-- The queued job that has been due for longest.
SELECT
    -- include: job_columns
FROM jobs WHERE state = 'queued' AND due_us <= :now_us ORDER BY due_us, created_us, seq LIMIT 1;

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

-- name: receipt_columns
-- The columns of a receipt as rows.py reads them.
    receipt_id, harness, session_id, epoch, at_us, body, checksum

-- name: put_receipt
-- Keep a receipt once.
INSERT INTO receipts (receipt_id, harness, session_id, epoch, at_us, body, checksum)
VALUES (:receipt_id, :harness, :session_id, :epoch, :at_us, :body, :checksum)
ON CONFLICT (receipt_id) DO NOTHING;

-- name: newest_receipts
-- Receipts, newest first, of one harness and session or of all.
SELECT
    -- include: receipt_columns
FROM receipts
WHERE (:harness = '' OR harness = :harness) AND (:session_id = '' OR session_id = :session_id)
ORDER BY at_us DESC, seq DESC LIMIT :limit;

-- name: receipts_of_epoch
-- The receipts of a session since its last compaction, oldest first.
SELECT
    -- include: receipt_columns
FROM receipts
WHERE harness = :harness AND session_id = :session_id AND epoch = :epoch ORDER BY at_us, seq;

-- name: claim_by_graph
-- The root claim of a graph.
SELECT graph, body, checksum FROM root_claims WHERE graph = :graph;

-- name: put_claim
-- Insert or replace a root claim.
INSERT INTO root_claims (graph, body, checksum) VALUES (:graph, :body, :checksum)
ON CONFLICT DO UPDATE SET body = excluded.body, checksum = excluded.checksum;

-- name: aliases
-- Every graph id that is now known by another.
SELECT old, new, checksum FROM aliases ORDER BY old;

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
