"""A mount of a test's own: a process in a mount namespace, where it may mount what it likes and nobody sees it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
_OWN: Final = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
_PREAMBLE: Final = """
import errno, json, os, subprocess, sys
from contextlib import suppress
from pathlib import Path

from tests.durability.daemons import *
from tests.wire import *
from wisen.client import Client
from wisen.config import paths
from wisen.errors import WisenError

mount = Path(sys.argv[1])
around = Path(sys.argv[2])
where = paths({"WISEN_HOME": str(mount / "home")})

def mounted(*options):
    subprocess.run(["mount", *options, str(mount)], check=True)

def a_home_there():
    for directory in (where.run_dir, where.spool_dir):
        directory.mkdir(mode=0o700, parents=True)
    where.state_dir.chmod(0o700)
    register(where)

def plainly(path, size):
    '''Return how a plain write fails.'''
    try:
        with path.open("wb", buffering=0) as file:
            while size > 0:
                size -= file.write(b"x" * 4096)
    except OSError as error:
        return errno.errorcode[error.errno]
    return "it works"

def remember(text):
    '''Return "" when it was acknowledged, else what was said.'''
    try:
        Client(where).call("POST", "/v1/memories", {"text": text, "everywhere": True})
    except WisenError as error:
        return f"{error.code}: {error.message} ({error.hint})"
    return ""

def hook(event, **fields):
    ran = run_hook(where, a_payload(event, **fields), env={"CLAUDE_CODE_ENTRYPOINT": "cli"})
    return [ran.code, ran.stdout.decode(), ran.stderr.decode()]

def texts():
    return [memory["text"] for memory in Client(where).call("GET", "/v1/memories?limit=10000")["memories"]]
"""


def why_not() -> str:
    """Return why nothing can be mounted here, "" when it can."""
    if shutil.which("unshare") is None:
        return "there is no unshare"
    argv = [*_OWN, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    tried = subprocess.run(argv, capture_output=True, text=True, check=False)
    return "" if tried.returncode == 0 else f"nothing can be mounted here: {tried.stderr.strip()}"


def in_a_namespace(code: str, around: Path) -> dict[str, Any]:
    """Run code in a process that may mount, and return what it put into `said`. `around` is a directory for both."""
    mount = around / "mount"
    mount.mkdir()
    script = f"{_PREAMBLE}\nsaid = {{}}\n{dedent(code)}\nprint(json.dumps(said))"
    done = subprocess.run(
        [*_OWN, sys.executable, "-c", script, str(mount), str(around)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=55,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
