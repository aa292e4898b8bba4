-- A bit that flipped in a vector is told from what was written. NULL: kept before there was this column.
ALTER TABLE vectors ADD COLUMN checksum INTEGER;

-- The turns of each conversation in order, so that who looks for the next one reads no other.
CREATE TABLE turns (
    passage INTEGER PRIMARY KEY REFERENCES passages (passage_id) ON DELETE CASCADE,
    session TEXT NOT NULL,
    created_us INTEGER NOT NULL,
    memory_id TEXT NOT NULL
) STRICT;

CREATE INDEX turns_in_order ON turns (session, created_us, memory_id);

INSERT INTO turns (passage, session, created_us, memory_id)
SELECT p.passage_id, p.session, m.created_us, m.memory_id
FROM passages AS p JOIN memories AS m ON m.number = p.memory WHERE p.session <> '';

DROP INDEX passages_by_session; -- `turns` answers what it was for

CREATE TRIGGER turns_added AFTER INSERT ON passages WHEN new.session <> '' BEGIN
    INSERT INTO turns (passage, session, created_us, memory_id)
    SELECT new.passage_id, new.session, created_us, memory_id FROM memories WHERE number = new.memory;
END;

CREATE TRIGGER turns_changed AFTER UPDATE ON passages WHEN old.session <> new.session BEGIN
    DELETE FROM turns WHERE passage = new.passage_id;
    INSERT INTO turns (passage, session, created_us, memory_id)
    SELECT new.passage_id, new.session, created_us, memory_id FROM memories
    WHERE number = new.memory AND new.session <> '';
END;

CREATE TRIGGER turns_moved AFTER UPDATE ON memories WHEN old.created_us <> new.created_us BEGIN
    UPDATE turns SET created_us = new.created_us
    WHERE passage IN (SELECT passage_id FROM passages WHERE memory = new.number);
END;
