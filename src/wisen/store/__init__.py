"""Where everything is kept: SQLite files, and an in-memory fake held to the same contract."""
