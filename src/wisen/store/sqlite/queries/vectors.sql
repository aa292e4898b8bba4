-- Queries over vectors, and over passages without their memories.

-- name: spaces
-- Every space, and how many vectors it holds.
SELECT space, model, digest, dimension, held FROM spaces ORDER BY space;

-- name: put_space
-- Begin a space: every passage waits for its vector.
INSERT INTO spaces (model, digest, dimension) VALUES (:model, :digest, :dimension);

-- name: all_wait
-- Every passage waits for a vector in a space.
INSERT OR IGNORE INTO waiting (space, passage) SELECT :space, passage_id FROM passages;

-- name: waiting
-- The passages that wait for a vector in a space, the newest first, each with its memory.
SELECT w.passage,
    -- include: memory_columns
FROM waiting AS w
JOIN passages AS p ON p.passage_id = w.passage
JOIN memories AS m ON m.number = p.memory
WHERE w.space = :space AND m.status <> 'forgotten' AND m.number NOT IN (SELECT value FROM json_each(:damaged))
ORDER BY w.passage DESC LIMIT :limit;

-- name: newest
-- The newest passages, each with its memory.
SELECT p.passage_id,
    -- include: memory_columns
FROM passages AS p
JOIN memories AS m ON m.number = p.memory
WHERE m.status <> 'forgotten' AND m.number NOT IN (SELECT value FROM json_each(:damaged))
ORDER BY p.passage_id DESC LIMIT :limit;

-- name: waiting_count
-- How many passages wait for a vector in a space.
SELECT count(*) FROM waiting AS w
JOIN passages AS p ON p.passage_id = w.passage
JOIN memories AS m ON m.number = p.memory
WHERE w.space = :space AND m.status <> 'forgotten';

-- name: passages_in_use
-- How many passages would wait for a vector in a new space.
SELECT count(*) FROM passages AS p JOIN memories AS m ON m.number = p.memory WHERE m.status <> 'forgotten';

-- name: words_of
-- The words of a passage in the order of rows.passage_row, and its memory.
SELECT m.memory_id, p.ordinal, p.title, p.text, p.why, p.how_to_apply, p.tags
FROM passages AS p JOIN memories AS m ON m.number = p.memory WHERE p.passage_id = :passage;

-- name: put_vector
-- Keep the vector of a passage.
INSERT INTO vectors (space, passage, code, vector, checksum) VALUES (:space, :passage, :code, :vector, :checksum)
ON CONFLICT (space, passage) DO UPDATE SET
    code = excluded.code, vector = excluded.vector, checksum = excluded.checksum;

-- name: drop_tokens
-- Delete the token states of a passage.
DELETE FROM token_states WHERE space = :space AND passage = :passage;

-- name: put_tokens
-- Keep the token states of a passage.
INSERT INTO token_states (space, passage, tokens) VALUES (:space, :passage, :tokens);

-- name: drop_vectors
-- Delete the vectors of a space.
DELETE FROM vectors WHERE space = :space;

-- name: drop_space
-- Delete a space and all that is in it.
DELETE FROM token_states WHERE space = :space;
DELETE FROM waiting WHERE space = :space;
DELETE FROM codes WHERE space = :space;
DELETE FROM spaces WHERE space = :space;

-- name: passages_of
-- The passages of a memory.
SELECT p.passage_id FROM passages AS p JOIN memories AS m ON m.number = p.memory WHERE m.memory_id = :memory_id;

-- name: code_of
-- The signs of a passage's vector in a space.
SELECT passage, code FROM vectors WHERE space = :space AND passage = :passage;

-- name: block
-- Where the block of a space is.
SELECT number FROM codes WHERE space = :space AND block = :block;

-- name: put_block
-- Begin an empty block of a space.
INSERT INTO codes (space, block, slots) VALUES (:space, :block, zeroblob(:bytes));

-- name: blocks
-- The next blocks of a space.
SELECT block, slots FROM codes WHERE space = :space AND block > :after ORDER BY block LIMIT :limit;

-- name: codes_between
-- The signs of the vectors of some consecutive passages.
SELECT passage, code FROM vectors WHERE space = :space AND passage >= :first AND passage < :end;

-- name: block_numbers
-- The blocks that a space has or ought to have.
SELECT block FROM codes WHERE space = :space
UNION
SELECT passage / :size FROM vectors WHERE space = :space
ORDER BY block;

-- name: vectors_of
-- The vectors of some passages.
SELECT passage, vector FROM vectors
WHERE space = :space AND passage IN (SELECT value FROM json_each(:passages));

-- name: all_vectors
-- Every vector of a space.
SELECT passage, vector FROM vectors WHERE space = :space;

-- name: tokens_of
-- The token states of some passages.
SELECT passage, tokens FROM token_states
WHERE space = :space AND passage IN (SELECT value FROM json_each(:passages));

-- name: passages_matching
-- The passages of admitted memories in which terms of enough weight occur: the best, with score and terms, and how many
-- there are. `terms` is a list of [FTS5 expression, weight, whether it scores]; the order of filter and limit is as in
-- `memories_matching`; `among` is a list of passages.
WITH scored AS MATERIALIZED (
    SELECT
        passage_index.rowid AS passage, term.key AS term, term.value ->> 1 AS weight,
        iif(term.value ->> 2, -bm25(passage_index, 2.0, 1.0, 1.0, 1.0, 1.0), 0.0) AS score
    FROM json_each(:terms) AS term
    JOIN passage_index ON passage_index MATCH term.value ->> 0
    WHERE :among IS NULL OR passage_index.rowid IN (SELECT value FROM json_each(:among))
),
enough AS MATERIALIZED (
    SELECT passage, sum(score) AS score, json_group_array(term) AS terms
    FROM scored GROUP BY passage HAVING sum(weight) >= :least
)
SELECT e.passage, e.score, e.terms, count(*) OVER () AS total
FROM enough AS e
JOIN passages AS p ON p.passage_id = e.passage
JOIN memories AS m ON m.number = p.memory
WHERE
    -- include: admitted_passage
ORDER BY e.score DESC, e.passage LIMIT :limit;

-- name: members
-- The memories of some passages, those that are admitted.
SELECT p.passage_id,
    -- include: memory_columns
FROM passages AS p
JOIN memories AS m ON m.number = p.memory
WHERE p.passage_id IN (SELECT value FROM json_each(:passages)) AND (
    -- include: admitted_passage
);

-- name: passing
-- Those of some passages whose memories are admitted.
SELECT p.passage_id
FROM passages AS p
JOIN memories AS m ON m.number = p.memory
WHERE p.passage_id IN (SELECT value FROM json_each(:passages)) AND (
    -- include: admitted_passage
);

-- name: every_member
-- The memories of some passages.
SELECT p.passage_id,
    -- include: memory_columns
FROM passages AS p
JOIN memories AS m ON m.number = p.memory
WHERE p.passage_id IN (SELECT value FROM json_each(:passages)) AND m.number NOT IN (SELECT value FROM json_each(:damaged));

-- name: turn
-- Where a passage stands in its conversation.
SELECT t.session, t.created_us, t.memory_id FROM turns AS t
JOIN memories AS m ON m.memory_id = t.memory_id
WHERE t.passage = :passage AND m.status = 'active';

-- name: turns_before
-- The turns before one in its conversation, the nearest first.
SELECT t.passage FROM turns AS t
JOIN memories AS m ON m.memory_id = t.memory_id
WHERE t.session = :session AND (t.created_us, t.memory_id) < (:created_us, :memory_id) AND m.status = 'active'
ORDER BY t.created_us DESC, t.memory_id DESC LIMIT :reach;

-- name: turns_after
-- The turns after one in its conversation, the nearest first.
SELECT t.passage FROM turns AS t
JOIN memories AS m ON m.memory_id = t.memory_id
WHERE t.session = :session AND (t.created_us, t.memory_id) > (:created_us, :memory_id) AND m.status = 'active'
ORDER BY t.created_us, t.memory_id LIMIT :reach;

-- name: drop_turns_amiss
-- Delete what does not say where a passage stands.
DELETE FROM turns WHERE NOT EXISTS (
    SELECT 1 FROM passages AS p JOIN memories AS m ON m.number = p.memory
    WHERE p.passage_id = turns.passage AND p.session = turns.session
    AND m.created_us = turns.created_us AND m.memory_id = turns.memory_id
);

-- name: put_turns_missing
-- Say of each turn where it stands.
INSERT OR IGNORE INTO turns (passage, session, created_us, memory_id)
SELECT p.passage_id, p.session, m.created_us, m.memory_id
FROM passages AS p JOIN memories AS m ON m.number = p.memory WHERE p.session <> '';

-- name: slots_of
-- The slots of a block.
SELECT block, slots FROM codes WHERE space = :space AND block = :block;

-- name: put_slots
-- Write a whole block.
INSERT INTO codes (space, block, slots) VALUES (:space, :block, :slots)
ON CONFLICT (space, block) DO UPDATE SET slots = excluded.slots;

-- name: vectors_between
-- The vectors of some consecutive passages that have a checksum.
SELECT passage, vector FROM vectors
WHERE space = :space AND passage >= :first AND passage < :end AND checksum IS NOT NULL;

-- name: checksums_between
-- The checksums of the vectors of some consecutive passages.
SELECT passage, checksum FROM vectors
WHERE space = :space AND passage >= :first AND passage < :end AND checksum IS NOT NULL;

-- name: drop_vector
-- Delete the vector of a passage.
DELETE FROM vectors WHERE space = :space AND passage = :passage;

-- name: drop_vectors_of_nothing
-- Delete the vectors whose passage is not there.
DELETE FROM vectors WHERE passage NOT IN (SELECT passage_id FROM passages);

-- name: wait_again
-- Let passages wait that have no vector and did not wait for one.
INSERT OR IGNORE INTO waiting (space, passage)
SELECT s.space, p.passage_id FROM spaces AS s CROSS JOIN passages AS p
WHERE NOT EXISTS (SELECT 1 FROM vectors AS v WHERE v.passage = p.passage_id AND v.space = s.space);

-- name: wait_no_more
-- Let no passage wait that has its vector.
DELETE FROM waiting
WHERE EXISTS (SELECT 1 FROM vectors AS v WHERE v.passage = waiting.passage AND v.space = waiting.space);

-- name: count_held
-- Count the vectors of each space anew.
UPDATE spaces SET held = (SELECT count(*) FROM vectors AS v WHERE v.space = spaces.space)
WHERE held <> (SELECT count(*) FROM vectors AS v WHERE v.space = spaces.space);

-- name: words_containing
-- Words of the index with this part, those that begin with it and then the commonest first.
SELECT term FROM passage_words WHERE instr(term, :part) > 0
ORDER BY instr(term, :part) > 1, doc DESC, term LIMIT :limit;
