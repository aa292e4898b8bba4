-- One graph: what is known, how it came to be so, and the words by which it is found.
-- `checksum` covers the row's other values; see checksum.py. Times (`_us`) are microseconds since 1970, UTC.

PRAGMA application_id = 0x77736E67; -- 'wsng'

-- The graph's own id, and while it is being renamed the id it moves to.
CREATE TABLE facts (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- `body` is the whole memory as JSON; the columns beside it are what queries filter and sort by.
-- `number` is for joins inside the file only: a third faster to search with than the id.
CREATE TABLE memories (
    number INTEGER PRIMARY KEY,
    memory_id TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL,
    kind TEXT NOT NULL,
    source TEXT,
    confidence REAL NOT NULL,
    pinned INTEGER NOT NULL,
    support INTEGER NOT NULL,
    created_us INTEGER NOT NULL,
    snoozed_us INTEGER,
    digest TEXT NOT NULL,
    body TEXT NOT NULL,
    checksum INTEGER NOT NULL
) STRICT;

CREATE INDEX memories_by_digest ON memories (digest);
CREATE INDEX memories_by_status ON memories (status);

-- Which additions and updates were made already; hashed, so that a purge leaves no words here.
CREATE TABLE natural_keys (
    key TEXT PRIMARY KEY,
    memory_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Every change of a memory with its value before and after; both NULL once it was purged.
-- Entries of one `batch` were one act.
CREATE TABLE journal (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    memory_id TEXT NOT NULL,
    at_us INTEGER NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    reason TEXT NOT NULL,
    before TEXT,
    after TEXT,
    undone_by INTEGER NOT NULL DEFAULT 0,
    batch TEXT NOT NULL DEFAULT '',
    checksum INTEGER NOT NULL
) STRICT;

CREATE INDEX journal_by_memory ON journal (memory_id, seq);
CREATE INDEX journal_by_undo ON journal (undone_by) WHERE undone_by <> 0;
CREATE INDEX journal_by_batch ON journal (batch) WHERE batch <> '';

-- What the index holds: the words of a memory as `core/words.py` gives them, in one or more pieces. Beside them what
-- filters ask of the memory's JSON: the program of its trigger, the name whose place it is, the conversation of a turn.
CREATE TABLE passages (
    passage_id INTEGER PRIMARY KEY,
    memory INTEGER NOT NULL REFERENCES memories (number) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    why TEXT NOT NULL,
    how_to_apply TEXT NOT NULL,
    tags TEXT NOT NULL,
    program TEXT,
    place TEXT NOT NULL DEFAULT '',
    session TEXT NOT NULL DEFAULT '',
    UNIQUE (memory, ordinal)
) STRICT;

CREATE VIRTUAL TABLE passage_index USING fts5 (
    title, text, why, how_to_apply, tags,
    content = 'passages', content_rowid = 'passage_id',
    tokenize = 'porter ascii' -- it only parts the words again: everything that is not ASCII is a letter to it
);

-- A deleted passage leaves no words behind in the index.
INSERT INTO passage_index (passage_index, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER passages_added AFTER INSERT ON passages BEGIN
    INSERT INTO passage_index (rowid, title, text, why, how_to_apply, tags)
    VALUES (new.passage_id, new.title, new.text, new.why, new.how_to_apply, new.tags);
END;

CREATE TRIGGER passages_removed AFTER DELETE ON passages BEGIN
    INSERT INTO passage_index (passage_index, rowid, title, text, why, how_to_apply, tags)
    VALUES ('delete', old.passage_id, old.title, old.text, old.why, old.how_to_apply, old.tags);
END;

CREATE TRIGGER passages_changed AFTER UPDATE ON passages BEGIN
    INSERT INTO passage_index (passage_index, rowid, title, text, why, how_to_apply, tags)
    VALUES ('delete', old.passage_id, old.title, old.text, old.why, old.how_to_apply, old.tags);
    INSERT INTO passage_index (rowid, title, text, why, how_to_apply, tags)
    VALUES (new.passage_id, new.title, new.text, new.why, new.how_to_apply, new.tags);
END;

-- The turns of each conversation in order, so that who looks for the next one reads no other.
CREATE TABLE turns (
    passage INTEGER PRIMARY KEY REFERENCES passages (passage_id) ON DELETE CASCADE,
    session TEXT NOT NULL,
    created_us INTEGER NOT NULL,
    memory_id TEXT NOT NULL
) STRICT;

CREATE INDEX turns_in_order ON turns (session, created_us, memory_id);

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

-- The models that made vectors. `held` is how many vectors there are of one.
CREATE TABLE spaces (
    space INTEGER PRIMARY KEY,
    model TEXT NOT NULL,
    digest TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    held INTEGER NOT NULL DEFAULT 0,
    UNIQUE (model, digest, dimension)
) STRICT;

-- The vector of a passage in a space: its signs, and its numbers. `checksum` is NULL where it was kept without one.
CREATE TABLE vectors (
    space INTEGER NOT NULL REFERENCES spaces (space),
    passage INTEGER NOT NULL REFERENCES passages (passage_id) ON DELETE CASCADE,
    code BLOB NOT NULL,
    vector BLOB NOT NULL,
    checksum INTEGER,
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
