-- Changes that were made by one act are undone by one act: each entry may name its batch.
-- The checksum of an entry without a batch is what it was before there were batches.
ALTER TABLE journal ADD COLUMN batch TEXT NOT NULL DEFAULT '';

CREATE INDEX journal_by_batch ON journal (batch) WHERE batch <> '';
