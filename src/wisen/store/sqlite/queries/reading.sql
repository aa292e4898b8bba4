-- name: undecoded
-- The rows of another query in its order, their texts as bytes; `query`, `columns` and `as_bytes` are put in as text.
WITH found (:columns) AS (:query) SELECT :as_bytes FROM found;

-- name: as_bytes
-- A column as it is, but for text, which comes as bytes.
iif(typeof(:column) = 'text', CAST(:column AS BLOB), :column);

-- name: begin_reading
-- See the file as it is now, until the connection closes.
BEGIN;
SELECT count(*) FROM sqlite_schema;
