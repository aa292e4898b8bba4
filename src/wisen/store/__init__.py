"""Where everything is kept: SQLite files, and an in-memory fake held to the same contract."""

import logging

# The daemon has a log; in a command, Python would print the bare names of events on standard error.
logging.getLogger("wisen").addHandler(logging.NullHandler())
