"""The ground a fault stands on: a home, mounts of its own, another user, limits. What can't be had here is skipped."""

from __future__ import annotations

import functools
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import pytest
from tests.faults.firing import PYTHON, Way, registered_line
from tests.wire import HOOK

from wisen.config import Paths

NOBODY: Final = 65534
_CAN: Final = "mount -t tmpfs none /mnt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Where one fault is played: its own home, and on demand the home of a real daemon that has something to say."""

    where: Paths
    real: Callable[[], Paths]

    @property
    def home(self) -> Path:
        """The home's root."""
        return self.where.config_file.parent

    def way(self, **over: object) -> Way:
        """The registered line in this home, as it should be run, but for `over`."""
        return replace(Way(line=registered_line(self.where), spool_dir=self.where.spool_dir), **over)  # type: ignore[arg-type]

    def real_way(self, **over: object) -> Way:
        """The same with the real daemon listening."""
        return replace(self.way(**over), line=registered_line(self.real()), spool_dir=self.real().spool_dir)

    def program(self, text: str) -> Path:
        """Return a hook script of this text, in the home."""
        place = self.home / "program"
        place.mkdir(exist_ok=True)
        hook = place / "hook.py"
        hook.write_text(text)
        return hook

    def copied_program(self) -> Path:
        """Return a copy of the hook that may be spoilt, or read by another user."""
        hook = self.program(HOOK.read_text())
        shutil.copy(HOOK.with_name("hotpath.py"), hook.parent)
        return hook

    def in_mounts(self, script: str, **over: object) -> Way:
        """A way that first runs a shell script in a mount namespace of its own; HOME_DIR and SPOOL are set there."""
        if not _can_mount():
            pytest.skip("no mount namespace can be made here")
        env = {"PATH": os.environ["PATH"], "HOME_DIR": str(self.home), "SPOOL": str(self.where.spool_dir)}
        return self.way(before=(*_UNSHARE, "sh", "-c", f'{script}\nexec "$@"', "sh"), env=env, **over)

    def as_nobody(self, **over: object) -> Way:
        """A way that runs as another user, whose home this is."""
        python = _public_python()
        if os.getuid() != 0 or python is None:
            pytest.skip("needs root, and an interpreter that other users may run")
        hook = self.copied_program()
        for place, names, files in os.walk(self.home):
            for path in (place, *(f"{place}/{name}" for name in [*names, *files])):
                os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        return self.way(line=registered_line(self.where, python=python, hook=hook), user=NOBODY, **over)


_UNSHARE: Final = ("unshare", "--mount") if os.getuid() == 0 else ("unshare", "--mount", "--map-root-user")


@functools.cache
def _can_mount() -> bool:
    try:
        tried = subprocess.run([*_UNSHARE, "sh", "-c", _CAN], capture_output=True, timeout=20, check=False)
    except FileNotFoundError:
        return False
    return tried.returncode == 0


@functools.cache
def _public_python() -> Path | None:
    """Return an interpreter that every user may run, and that is new enough for the hook."""
    for name in ("/usr/bin/python3", "/usr/local/bin/python3", str(PYTHON)):
        asked = [name, "-I", "-S", "-c", "import sys, _socket, _json; print(sys.version_info >= (3, 11))"]
        try:
            if subprocess.run(asked, capture_output=True, user=NOBODY, timeout=20, check=False).stdout == b"True\n":
                return Path(name)
        except OSError:
            continue
    return None


def limited(what: int, to: int) -> Callable[[], None]:
    """Return what sets a limit of the process that is about to be."""
    return lambda: resource.setrlimit(what, (to, to))


def shell_is_dash() -> bool:
    """Return whether /bin/sh gives up at once when it can't fork; bash tries for half a minute."""
    return sys.platform == "linux" and Path("/bin/sh").resolve().name == "dash"
