-- name: schema_parts
-- Every table, column, index, view and trigger, what must be equal about it, and the statement that adds it.
SELECT s.type, s.tbl_name, s.name,
       CASE WHEN s.type = 'table' AND l.type = 'table' THEN 'strict=' || l.strict || ' rowid=' || (1 - l.wr)
            ELSE s.sql END,
       s.sql
FROM sqlite_schema AS s
LEFT JOIN pragma_table_list AS l ON l.schema = 'main' AND l.name = s.name
WHERE s.sql IS NOT NULL AND s.name NOT LIKE 'sqlite\_%' ESCAPE '\' AND coalesce(l.type, '') <> 'shadow'
UNION ALL
SELECT 'column', l.name, c.name,
       c.type || ' notnull=' || c."notnull" || ' pk=' || c.pk || ' hidden=' || c.hidden
           || coalesce(' default=' || c.dflt_value, ''),
       'ALTER TABLE "' || l.name || '" ADD COLUMN "' || c.name || '" ' || c.type
           || iif(c."notnull", ' NOT NULL', '') || coalesce(' DEFAULT ' || c.dflt_value, '')
FROM pragma_table_list AS l
JOIN pragma_table_xinfo(l.name) AS c
WHERE l.schema = 'main' AND l.type = 'table' AND l.name NOT LIKE 'sqlite\_%' ESCAPE '\';

-- name: rows_without_parent
-- Rows whose foreign key points nowhere.
SELECT "table", rowid, parent FROM pragma_foreign_key_check;

-- name: tables
-- The tables of ours, without what FTS5 and SQLite keep for themselves.
SELECT name FROM pragma_table_list
WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name;

-- name: row_count
-- How many rows a table has; `table` is put in as text.
SELECT count(*) FROM ":table";
