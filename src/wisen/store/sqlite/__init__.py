"""The SQLite stores: one control file, one file a graph."""
