-- Queries to carry whole memories out of a graph and into one.

-- name: ids_beyond
-- The next ids, in order, of which there is a memory, a change or a natural key.
SELECT memory_id FROM memories WHERE memory_id > :after
UNION
SELECT memory_id FROM journal WHERE memory_id > :after
UNION
SELECT memory_id FROM natural_keys WHERE memory_id > :after
ORDER BY memory_id LIMIT :limit;

-- name: id_count
-- Of how many memories there is something.
SELECT count(*) FROM (
    SELECT memory_id FROM memories UNION SELECT memory_id FROM journal UNION SELECT memory_id FROM natural_keys
);

-- name: ids_known
-- Those of some ids of which there is something.
SELECT value FROM json_each(:ids)
WHERE value IN (SELECT memory_id FROM memories)
    OR value IN (SELECT memory_id FROM journal)
    OR value IN (SELECT memory_id FROM natural_keys);

-- name: keys_of
-- The natural keys of some memories.
SELECT memory_id, key FROM natural_keys WHERE memory_id IN (SELECT value FROM json_each(:ids)) ORDER BY memory_id, key;

-- name: numbers_taken
-- Those of some changes' numbers that a change has already.
SELECT value FROM json_each(:numbers) WHERE value IN (SELECT seq FROM journal);

-- name: put_key_once
-- Remember that a natural key was used, unless it was already.
INSERT INTO natural_keys (key, memory_id) VALUES (:key, :memory_id) ON CONFLICT DO NOTHING;

-- name: erased
-- Every memory that was purged: when, and a natural key of it.
SELECT gone.memory_id, gone.at_us, k.key
FROM (
    SELECT memory_id, max(at_us) AS at_us FROM journal
    WHERE action = 'purge' AND memory_id NOT IN (SELECT memory_id FROM memories) GROUP BY memory_id
) AS gone
JOIN natural_keys AS k ON k.memory_id = gone.memory_id;
