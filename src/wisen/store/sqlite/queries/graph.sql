-- name: facts
-- What the file says about itself.
SELECT name, value FROM facts;

-- name: set_fact
-- Write down one thing about the file.
INSERT INTO facts (name, value) VALUES (:name, :value) ON CONFLICT DO UPDATE SET value = excluded.value;

-- name: drop_fact
-- Take one thing about the file back.
DELETE FROM facts WHERE name = :name;

-- name: memory_columns
-- The columns of a memory as rows.py reads them, after its row's number.
    m.number, m.memory_id, m.status, m.kind, m.source, m.confidence, m.pinned, m.support, m.created_us, m.snoozed_us, m.digest,
    m.body, m.checksum

-- name: standing
-- The part of a filter that asks only for columns of the memory; one without a source is in no set of sources, a damaged
-- one in none.
    m.status IN (SELECT value FROM json_each(:statuses))
    AND m.confidence >= :min_confidence
    AND (:sources IS NULL OR m.source IN (SELECT value FROM json_each(:sources)))
    AND (:kinds IS NULL OR m.kind IN (SELECT value FROM json_each(:kinds)))
    AND (m.memory_id, m.digest) NOT IN (SELECT value ->> 0, value ->> 1 FROM json_each(:exclude))
    AND (:awake_us IS NULL OR m.snoozed_us IS NULL OR m.snoozed_us <= :awake_us)
    AND m.number NOT IN (SELECT value FROM json_each(:damaged))

-- name: admitted
-- Which memories a filter lets be candidates.
    -- include: standing
    AND (:programs IS NULL OR iif(json_valid(m.body), m.body, '{}') ->> '$.trigger.program'
        IN (SELECT value FROM json_each(:programs)))
    AND (:with_recipes OR iif(json_valid(m.body), m.body, '{}') ->> '$.trigger.program' IS NULL)
    AND (:with_places OR m.source IS NOT 'repeated_lookup'
        OR coalesce(iif(json_valid(m.body), m.body, '{}') ->> '$.anchors[0].symbol', '') = '')
    AND (:names IS NULL OR m.source IS 'repeated_lookup'
        AND iif(json_valid(m.body), m.body, '{}') ->> '$.anchors[0].symbol'
        IN (SELECT value FROM json_each(:names) WHERE value <> ''))

-- name: admitted_passage
-- The same for a passage and its memory.
    -- include: standing
    AND (:programs IS NULL OR p.program IN (SELECT value FROM json_each(:programs)))
    AND (:with_recipes OR p.program IS NULL)
    AND (:with_places OR p.place = '')
    AND (:names IS NULL OR p.place <> '' AND p.place IN (SELECT value FROM json_each(:names)))

-- name: every_memory
-- All memories, to see whether they are sound.
SELECT
    -- include: memory_columns
FROM memories AS m;

-- name: next_memories
-- The next memories by their row's number, to see whether they are sound.
SELECT
    -- include: memory_columns
FROM memories AS m WHERE m.number > :after ORDER BY m.number LIMIT :limit;

-- name: memory_by_id
-- The memory with this id.
SELECT
    -- include: memory_columns
FROM memories AS m WHERE m.memory_id = :memory_id;

-- name: id_starts_so
-- Whether an id, or its last eight digits, starts with these; dashes do not count.
    (
        substr(replace(lower(memory_id), '-', ''), 1, length(:prefix)) = :prefix
        OR substr(substr(replace(lower(memory_id), '-', ''), -8), 1, length(:prefix)) = :prefix
    )

-- name: memories_by_prefix
-- The memories whose id, or its last eight digits, starts with these; dashes do not count.
SELECT
    -- include: memory_columns
FROM memories AS m
WHERE
    -- include: id_starts_so
ORDER BY m.memory_id LIMIT 10;

-- name: ids_by_prefix
-- The ids of the memories that start so.
SELECT memory_id FROM memories
WHERE
    -- include: id_starts_so
ORDER BY memory_id LIMIT 10;

-- name: former_ids_by_prefix
-- The ids that start so of which the journal or a natural key still knows.
SELECT memory_id FROM journal
WHERE
    -- include: id_starts_so
UNION
SELECT memory_id FROM natural_keys
WHERE
    -- include: id_starts_so
ORDER BY memory_id LIMIT 10;

-- name: memories_by_digest
-- The memories with this fingerprint.
SELECT
    -- include: memory_columns
FROM memories AS m WHERE m.digest = :digest ORDER BY m.memory_id;

-- name: memories_admitted
-- The memories a filter admits: pinned first, then support, confidence, newest.
SELECT
    -- include: memory_columns
FROM memories AS m
WHERE
    -- include: admitted
ORDER BY m.pinned DESC, m.support DESC, m.confidence DESC, m.created_us DESC, m.memory_id LIMIT :limit;

-- name: admitted_count
-- How many memories a filter admits.
SELECT count(*) FROM memories AS m
WHERE
    -- include: admitted
;

-- name: passage_count
-- The number of passages.
SELECT count(*) FROM passages;

-- name: occurrences
-- In how many passages each term occurs; `terms` is a list of FTS5 expressions.
SELECT term.key, count(*)
FROM json_each(:terms) AS term
JOIN passage_index ON passage_index MATCH term.value
GROUP BY term.key;

-- name: memories_matching
-- The admitted memories with a passage in which terms of enough weight occur: the best, with score and terms, and how
-- many there are. `terms` is a list of [FTS5 expression, weight]; BM25 is a sum over terms, so they are asked one by one.
-- The filter comes before the limit: a memory that is let through is found however many better ones are not.
WITH scored AS MATERIALIZED (
    SELECT passage_index.rowid AS passage, term.key AS term, term.value ->> 1 AS weight, -bm25(passage_index) AS score
    FROM json_each(:terms) AS term
    JOIN passage_index ON passage_index MATCH term.value ->> 0
),
enough AS MATERIALIZED (
    SELECT passage, sum(score) AS score, json_group_array(term) AS terms
    FROM scored GROUP BY passage HAVING sum(weight) >= :least
),
best AS MATERIALIZED (
    SELECT p.memory, max(e.score) AS score, e.terms, count(*) OVER () AS total
    FROM enough AS e
    JOIN passages AS p ON p.passage_id = e.passage
    JOIN memories AS m ON m.number = p.memory
    WHERE
    -- include: admitted_passage
    GROUP BY p.memory ORDER BY max(e.score) DESC, p.memory LIMIT :limit
)
SELECT b.total, b.score, b.terms,
    -- include: memory_columns
FROM best AS b
JOIN memories AS m ON m.number = b.memory
ORDER BY b.score DESC, b.memory;

-- name: put_memory
-- Insert or replace a memory.
INSERT INTO memories (
    memory_id, status, kind, source, confidence, pinned, support, created_us, snoozed_us, digest, body, checksum
) VALUES (
    :memory_id, :status, :kind, :source, :confidence, :pinned, :support, :created_us, :snoozed_us, :digest, :body,
    :checksum
)
ON CONFLICT (memory_id) DO UPDATE SET
    status = excluded.status, kind = excluded.kind, source = excluded.source, confidence = excluded.confidence,
    pinned = excluded.pinned, support = excluded.support, created_us = excluded.created_us,
    snoozed_us = excluded.snoozed_us, digest = excluded.digest, body = excluded.body, checksum = excluded.checksum;

-- name: put_passage
-- Insert or replace a passage; the index is touched only when its words changed.
INSERT INTO passages (memory, ordinal, title, text, why, how_to_apply, tags, program, place, session)
SELECT number, :ordinal, :title, :text, :why, :how_to_apply, :tags, :program, :place, :session
FROM memories WHERE memory_id = :memory_id
ON CONFLICT (memory, ordinal) DO UPDATE SET
    title = excluded.title, text = excluded.text, why = excluded.why, how_to_apply = excluded.how_to_apply,
    tags = excluded.tags, program = excluded.program, place = excluded.place, session = excluded.session
WHERE (title, text, why, how_to_apply, tags, program, place, session) IS NOT (
    excluded.title, excluded.text, excluded.why, excluded.how_to_apply, excluded.tags, excluded.program,
    excluded.place, excluded.session
);

-- name: drop_memory
-- Delete a memory; its passages and their words in the index go with it.
DELETE FROM memories WHERE memory_id = :memory_id;

-- name: key_owner
-- The memory that a natural key was used for.
SELECT memory_id FROM natural_keys WHERE key = :key;

-- name: memories_by_keys
-- The memories for which one of these natural keys was used.
SELECT
    -- include: memory_columns
FROM memories AS m
WHERE m.memory_id IN (SELECT memory_id FROM natural_keys WHERE key IN (SELECT value FROM json_each(:keys)))
ORDER BY m.memory_id;

-- name: put_key_once
-- Remember that a natural key was used, for the first memory that it was used for.
INSERT INTO natural_keys (key, memory_id) VALUES (:key, :memory_id) ON CONFLICT DO NOTHING;

-- name: put_key
-- Remember that a natural key was used.
INSERT INTO natural_keys (key, memory_id) VALUES (:key, :memory_id);

-- name: counts
-- The number of memories by status, without the damaged ones.
SELECT status, count(*) FROM memories WHERE number NOT IN (SELECT value FROM json_each(:damaged)) GROUP BY status;

-- name: entry_columns
-- The columns of a journal entry as rows.py reads them, after its row's number.
    seq, seq, memory_id, at_us, actor, action, reason, before, after, undone_by, batch, checksum

-- name: entries
-- The newest changes: of one memory, of one batch, or of all.
SELECT
    -- include: entry_columns
FROM journal
WHERE (:memory_id = '' OR memory_id = :memory_id) AND (:batch = '' OR batch = :batch)
ORDER BY seq DESC LIMIT :limit;

-- name: entries_of_batch
-- The changes of one batch, newest first. `batch <> ''` is what the index asks for.
SELECT
    -- include: entry_columns
FROM journal WHERE batch = :batch AND batch <> '' ORDER BY seq DESC;

-- name: entry_by_seq
-- One change.
SELECT
    -- include: entry_columns
FROM journal WHERE seq = :seq;

-- name: entries_undone_by
-- The changes that this change took back.
SELECT
    -- include: entry_columns
FROM journal WHERE undone_by <> 0 AND undone_by = :seq;

-- name: entries_of
-- Every change of one memory.
SELECT
    -- include: entry_columns
FROM journal WHERE memory_id = :memory_id;

-- name: drop_entry
-- Delete a change.
DELETE FROM journal WHERE seq = :seq;

-- name: last_seq
-- The highest number that a change ever had; none comes twice.
SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'journal'), 0);

-- name: put_entry
-- Insert or replace a change.
INSERT INTO journal (seq, memory_id, at_us, actor, action, reason, before, after, undone_by, batch, checksum)
VALUES (:seq, :memory_id, :at_us, :actor, :action, :reason, :before, :after, :undone_by, :batch, :checksum)
ON CONFLICT DO UPDATE SET
    reason = excluded.reason, before = excluded.before, after = excluded.after, undone_by = excluded.undone_by,
    checksum = excluded.checksum;

-- name: journal_length
-- The number of changes.
SELECT count(*) FROM journal;
