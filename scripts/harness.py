"""Install what is pinned for the end-to-end tests, once, and print where it is.

Without an argument that is Claude Code: the path of its binary; with `opencode`, that of OpenCode's. With `mcp`, the
protocol's own conformance suite and inspector: the directory of their commands. Versions are pinned in
`harness/NAME/package.json`, the bytes in the lock file beside it. Install scripts are not run: the harnesses' own ones
only link the platform binary, which is taken directly instead.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PINNED = HERE / "harness"
CACHE = HERE.parent / ".cache" / "harness"
PACKAGE = "@anthropic-ai/claude-code"
INSTALL_TIMEOUT_S = 600


class HarnessMissing(Exception):
    """The harness could not be installed."""


def harness() -> Path:
    """Return the binary of the pinned Claude Code, installing it into the cache when it is not there.

    Raises HarnessMissing when npm is missing or fails, or ships nothing for this platform.
    """
    pinned = PINNED / "claude-code"
    version = json.loads((pinned / "package.json").read_text())["dependencies"][PACKAGE]
    return _binary(_installed(CACHE / f"claude-code-{version}", pinned))


def opencode() -> Path:
    """Return the binary of the pinned OpenCode. Raises HarnessMissing as `harness`."""
    pinned = PINNED / "opencode"
    # The build that runs on every processor of its kind, by itself: what chooses among them names packages for other
    # systems that not every registry has.
    [(package, version)] = json.loads((pinned / "package.json").read_text())["dependencies"].items()
    return _installed(CACHE / f"{package}-{version}", pinned) / "node_modules" / package / "bin" / "opencode"


def protocol_tools() -> Path:
    """Return the directory of the protocol's own commands. Raises HarnessMissing as `harness`."""
    pinned = PINNED / "mcp"
    mark = hashlib.sha256((pinned / "package-lock.json").read_bytes()).hexdigest()[:12]
    return _installed(CACHE / f"mcp-{mark}", pinned) / "node_modules" / ".bin"


def _installed(home: Path, pinned: Path) -> Path:
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not home.exists():
            _install(home, pinned)
    return home


def _install(home: Path, pinned: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise HarnessMissing("npm is not on PATH: install Node.js with npm")
    # A half-made installation never carries the final name.
    with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
        made = Path(scratch) / "made"
        shutil.copytree(pinned, made)
        command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        done = subprocess.run(
            command,
            cwd=made,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=INSTALL_TIMEOUT_S,
            check=False,
        )
        if done.returncode:
            raise HarnessMissing(f"npm ci ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        made.rename(home)


def _binary(home: Path) -> Path:
    """Return the platform's binary: npm installs only the package of this machine's system and processor."""
    found = sorted((home / "node_modules").glob(f"{PACKAGE}-*/claude"))
    if not found:
        raise HarnessMissing(f"no binary for this platform under {home}")
    return found[0]


if __name__ == "__main__":
    try:
        print({"mcp": protocol_tools, "opencode": opencode}.get("".join(sys.argv[1:2]), harness)())
    except HarnessMissing as missing:
        sys.exit(f"error: {missing}")
