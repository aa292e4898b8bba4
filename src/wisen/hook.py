"""The script a harness runs for every hook event, under `python -I -S`: it enters the hot path, and nothing else.

    hook.py SOCKET SPOOL_DIR DAEMON_ARGV...

Python compiles a script anew each time and a module once: with the code in `hotpath.py` beside this file, a tool call
costs 2 ms of CPU less, of 10. It is loaded by its own name, so that not even `wisen/__init__.py` comes with it.
"""

import sys

sys.path.append(__file__.rpartition("/")[0] or "/")

import hotpath  # type: ignore[import-not-found]  # found by the line above

hotpath.run()
