-- A bit that flipped in a vector is told from what was written. NULL: kept before there was this column.
ALTER TABLE vectors ADD COLUMN checksum INTEGER;
