"""`python -I -m wisen.relaystart HARNESS`: sees that a daemon runs, and prints as JSON where it listens or why not.

The relay's other half: it loads what the relay does without, and is gone in a moment.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping

from wisen.client import ensure_daemon
from wisen.config import paths
from wisen.errors import NotFound, Refused, WisenError
from wisen.install import manifest, taken_out
from wisen.state.beginning import were_deleted


def started(harness: str, env: Mapping[str, str]) -> str:
    """Return the socket of a daemon that is ready.

    Raises Refused where the user took wisen out of the harness, NotFound where they deleted their memories as well, and
    DaemonUnavailable.
    """
    where = paths(env)
    if taken_out.is_noted(where, harness):
        raise Refused(f"wisen was taken out of {harness}", hint=f"`wisen install {harness}` puts it in again")
    if were_deleted(where) and not manifest.names(where):
        raise NotFound("the memories were deleted, and wisen is not installed", hint="`wisen remember` begins anew")
    ensure_daemon(where, env=env)
    return os.fspath(where.socket)


def main() -> int:
    """Print the answer and return the exit code."""
    try:
        said = {"socket": started(sys.argv[1] if sys.argv[1:] else "", os.environ)}
    except WisenError as error:
        said = {"error": error.message, "hint": error.hint}
    sys.stdout.buffer.write(json.dumps(said, ensure_ascii=False).encode("utf-8", "surrogateescape"))
    sys.stdout.flush()
    return 0 if "socket" in said else 1


if __name__ == "__main__":
    sys.exit(main())
