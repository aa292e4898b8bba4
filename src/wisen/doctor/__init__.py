"""Is everything as it should be? One check a question, with or without a daemon, and never by starting one."""
