-- name: pages
-- What SQLite finds wrong with pages, tables and indexes; one row 'ok' when it finds nothing.
PRAGMA integrity_check(20);

-- name: index_matches
-- Raises when the full-text index does not hold the words of the passages.
INSERT INTO passage_index (passage_index, rank) VALUES ('integrity-check', 1);

-- name: index_anew
-- Make the full-text index of the passages anew.
INSERT INTO passage_index (passage_index) VALUES ('rebuild');

-- name: passages_by_memory
-- The words of every passage, in the order of rows.passage_row, and the memory it belongs to.
SELECT m.memory_id, p.ordinal, p.title, p.text, p.why, p.how_to_apply, p.tags, p.program, p.place, p.session
FROM passages AS p LEFT JOIN memories AS m ON m.number = p.memory;

-- name: drop_passages_of_nothing
-- Delete the passages whose memory is gone.
DELETE FROM passages WHERE memory NOT IN (SELECT number FROM memories);

-- name: keys_of_nothing
-- How many natural keys name a memory of which nothing else is known.
SELECT count(*) FROM natural_keys
WHERE memory_id NOT IN (SELECT memory_id FROM memories UNION SELECT memory_id FROM journal);

-- name: memories_without_key
-- How many memories have no natural key.
SELECT count(*) FROM memories WHERE memory_id NOT IN (SELECT memory_id FROM natural_keys);

-- name: every_claim
-- All root claims, to see whether they say something; `graph` stands for the row's number.
SELECT graph, graph, body, checksum FROM root_claims ORDER BY graph;

-- name: signals_of_nobody
-- How many signals belong to a session that is not there.
SELECT count(*) FROM signals AS s
WHERE NOT EXISTS (SELECT 1 FROM sessions AS o WHERE o.harness = s.harness AND o.session_id = s.session_id);
