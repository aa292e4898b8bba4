"""From which harnesses did the user take wisen out, so that no agent puts it in again?

A file in the state directory, a name a line. Where that directory is gone there is nothing left to tell it by: an
uninstallation leaves no directory that was not there before.
"""

from __future__ import annotations

from typing import Final

from wisen.config import Paths
from wisen.install import files

NAME: Final = "taken-out"


def note(paths: Paths, harness: str) -> None:
    """Write down that the user took wisen out of a harness. Raises InstallError when that can't be written."""
    if paths.state_dir.is_dir():
        _write(paths, {*_known(paths), harness})


def is_noted(paths: Paths, harness: str) -> bool:
    """Return whether the user took wisen out of a harness and did not put it in since. Raises InstallError."""
    return harness in _known(paths)


def clear(paths: Paths, harness: str) -> None:
    """Forget it: the user has wisen put in again. Raises InstallError when that can't be written."""
    known = _known(paths)
    if harness in known:
        _write(paths, known - {harness})


def _known(paths: Paths) -> set[str]:
    return set((files.read(paths.state_dir / NAME).data or b"").decode(errors="replace").split())


def _write(paths: Paths, harnesses: set[str]) -> None:
    before = files.read(paths.state_dir / NAME)
    if harnesses:
        files.write(before, "".join(f"{name}\n" for name in sorted(harnesses)).encode())
    elif before.data is not None:
        files.delete(before)
