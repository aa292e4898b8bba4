-- What filters ask of a memory's JSON gets columns beside its words: read once, not for every row of every search.
ALTER TABLE passages ADD COLUMN program TEXT;
ALTER TABLE passages ADD COLUMN place TEXT NOT NULL DEFAULT '';
ALTER TABLE passages ADD COLUMN session TEXT NOT NULL DEFAULT '';

UPDATE passages SET
    program = m.body ->> '$.trigger.program',
    place = iif(m.source IS 'repeated_lookup', coalesce(m.body ->> '$.anchors[0].symbol', ''), '')
FROM memories AS m WHERE m.number = passages.memory AND json_valid(m.body);

CREATE INDEX passages_by_session ON passages (session) WHERE session <> '';

-- The models that made vectors. `held` is how many vectors there are of one.
CREATE TABLE spaces (
    space INTEGER PRIMARY KEY,
    model TEXT NOT NULL,
    digest TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    held INTEGER NOT NULL DEFAULT 0,
    UNIQUE (model, digest, dimension)
) STRICT;

-- The vector of a passage in a space: its signs, and its numbers.
CREATE TABLE vectors (
    space INTEGER NOT NULL REFERENCES spaces (space),
    passage INTEGER NOT NULL REFERENCES passages (passage_id) ON DELETE CASCADE,
    code BLOB NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (space, passage)
) STRICT, WITHOUT ROWID;

CREATE INDEX vectors_by_passage ON vectors (passage);

-- The states of a passage's tokens, where they are kept; apart, so that a search for vectors does not read them.
CREATE TABLE token_states (
    space INTEGER NOT NULL REFERENCES spaces (space),
    passage INTEGER NOT NULL REFERENCES passages (passage_id) ON DELETE CASCADE,
    tokens BLOB NOT NULL,
    PRIMARY KEY (space, passage)
) STRICT;

CREATE INDEX token_states_by_passage ON token_states (passage);

-- The passages that have no vector in a space yet.
CREATE TABLE waiting (
    space INTEGER NOT NULL REFERENCES spaces (space),
    passage INTEGER NOT NULL REFERENCES passages (passage_id) ON DELETE CASCADE,
    PRIMARY KEY (space, passage)
) STRICT, WITHOUT ROWID;

CREATE INDEX waiting_by_passage ON waiting (passage);

-- All signs of a space side by side: those of the passages block * 1024 and the following, each after its marks.
CREATE TABLE codes (
    number INTEGER PRIMARY KEY,
    space INTEGER NOT NULL REFERENCES spaces (space),
    block INTEGER NOT NULL,
    slots BLOB NOT NULL,
    UNIQUE (space, block)
) STRICT;

CREATE TRIGGER passages_wait AFTER INSERT ON passages BEGIN
    INSERT INTO waiting (space, passage) SELECT space, new.passage_id FROM spaces;
END;

-- Other words have another vector.
CREATE TRIGGER passages_wait_again AFTER UPDATE ON passages BEGIN
    DELETE FROM vectors WHERE passage = new.passage_id;
    DELETE FROM token_states WHERE passage = new.passage_id;
    INSERT OR IGNORE INTO waiting (space, passage) SELECT space, new.passage_id FROM spaces;
END;

CREATE TRIGGER vectors_added AFTER INSERT ON vectors BEGIN
    UPDATE spaces SET held = held + 1 WHERE space = new.space;
    DELETE FROM waiting WHERE space = new.space AND passage = new.passage;
END;

CREATE TRIGGER vectors_removed AFTER DELETE ON vectors BEGIN
    UPDATE spaces SET held = held - 1 WHERE space = old.space;
END;

-- The words of the index as it holds them, for those who look for a part of one.
CREATE VIRTUAL TABLE passage_words USING fts5vocab(passage_index, row);
