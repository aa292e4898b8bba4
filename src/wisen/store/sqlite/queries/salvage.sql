-- name: carry_memories
-- Put a memory into the file that takes a damaged one's place.
INSERT OR IGNORE INTO memories (
    number, memory_id, status, kind, source, confidence, pinned, support, created_us, snoozed_us, digest, body, checksum
) VALUES (
    :number, :memory_id, :status, :kind, :source, :confidence, :pinned, :support, :created_us, :snoozed_us, :digest,
    :body, :checksum
);

-- name: carry_journal
-- The same for a change.
INSERT OR IGNORE INTO journal (
    seq, memory_id, at_us, actor, action, reason, before, after, undone_by, batch, checksum
) VALUES (:seq, :memory_id, :at_us, :actor, :action, :reason, :before, :after, :undone_by, :batch, :checksum);

-- name: carry_natural_keys
-- The same for a natural key.
INSERT OR IGNORE INTO natural_keys (key, memory_id) VALUES (:key, :memory_id);

-- name: carry_sessions
-- The same for a session.
INSERT OR IGNORE INTO sessions (harness, session_id, last_us, promoted_seq, body, checksum)
VALUES (:harness, :session_id, :last_us, :promoted_seq, :body, :checksum);

-- name: carry_events
-- The same for an event.
INSERT OR IGNORE INTO events (seq, harness, event_id, session_id, at_us, seen_us, body, checksum)
VALUES (:seq, :harness, :event_id, :session_id, :at_us, :seen_us, :body, :checksum);

-- name: carry_signals
-- The same for a signal.
INSERT OR IGNORE INTO signals (seq, harness, session_id, key, at_us, body, checksum)
VALUES (:seq, :harness, :session_id, :key, :at_us, :body, :checksum);

-- name: carry_jobs
-- The same for a job.
INSERT OR IGNORE INTO jobs (seq, job_id, kind, key, state, created_us, due_us, body, checksum)
VALUES (:seq, :job_id, :kind, :key, :state, :created_us, :due_us, :body, :checksum);

-- name: carry_receipts
-- The same for a receipt.
INSERT OR IGNORE INTO receipts (seq, receipt_id, harness, session_id, epoch, at_us, graphs, body, checksum)
VALUES (:seq, :receipt_id, :harness, :session_id, :epoch, :at_us, :graphs, :body, :checksum);

-- name: carry_lookups
-- The same for a lookup.
INSERT OR IGNORE INTO lookups (number, graph, symbol, harness, session_id, event_id, at_us, body, checksum)
VALUES (:number, :graph, :symbol, :harness, :session_id, :event_id, :at_us, :body, :checksum);

-- name: carry_root_claims
-- The same for a root claim.
INSERT OR IGNORE INTO root_claims (graph, body, checksum) VALUES (:graph, :body, :checksum);

-- name: carry_aliases
-- The same for an alias.
INSERT OR IGNORE INTO aliases (old, new, checksum) VALUES (:old, :new, :checksum);

-- name: carry_counters
-- The same for a counter.
INSERT OR IGNORE INTO counters (name, count) VALUES (:name, :count);

-- name: set_last_number
-- Let the numbers of a table go on after this one: no number comes twice.
DELETE FROM sqlite_sequence WHERE name = :table;
INSERT INTO sqlite_sequence (name, seq) VALUES (:table, :seq);
