"""Which guides for agents does a work tree hold? CLAUDE.md and AGENTS.md at its top, with the files they take in.

Bounded: 64 KB of a guide and all it takes in, five steps deep as Claude Code goes, and nothing outside the work tree.
Read again when a file has changed.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from wisen.core.guide import Statement, imports, statements

MOST_BYTES: Final = 64 * 1024
_MOST_STEPS: Final = 5
_MOST_FILES: Final = 20
_MOST_TREES: Final = 64
_NAMES: Final = ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", "AGENTS.md")

_Stamp = tuple[tuple[str, int, int], ...]


class GuidesOnDisk:
    """The user's files. Implements `ports.Guides`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, tuple[_Stamp, tuple[Statement, ...]]] = {}

    def statements(self, top: str) -> tuple[Statement, ...]:
        """Return what the guides of a work tree state; nothing without a guide, or one that can't be read."""
        if not top:
            return ()
        with self._lock:
            known = self._known.get(top)
            if known and known[0] == _stamp(file for file, _, _ in known[0]):
                return known[1]
            files = list(_files(Path(top)))
            found = tuple(said for file, text in files for said in statements(_name(file, top), text))
            self._known.pop(top, None)
            # Those that are not there yet, too: one of them may come.
            watched = dict.fromkeys([*(str(Path(top) / name) for name in _NAMES), *(str(file) for file, _ in files)])
            self._known[top] = _stamp(watched), found
            while len(self._known) > _MOST_TREES:
                del self._known[next(iter(self._known))]
            return found


def _files(top: Path) -> Iterator[tuple[Path, str]]:
    """Yield the guides and what they take in, each once, in the order in which an agent reads them."""
    left = MOST_BYTES
    seen: set[Path] = set()
    waiting = [(top / name, 0) for name in _NAMES]
    root = _real(top)
    while waiting and left > 0 and len(seen) < _MOST_FILES:
        file, step = waiting.pop(0)
        real = _real(file)
        if real is None or root is None or real in seen or not real.is_relative_to(root):
            continue
        text = _text(real, left)
        if text is None:
            continue
        seen.add(real)
        left -= len(text.encode())
        yield file, text
        if step < _MOST_STEPS:
            waiting[:0] = [(file.parent / name, step + 1) for name in imports(text)]


def _real(path: Path) -> Path | None:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return None


def _text(file: Path, most_bytes: int) -> str | None:
    """Return the beginning of a regular file; None for anything else."""
    try:
        if not file.is_file():
            return None
        with file.open("rb") as content:
            return content.read(most_bytes).decode("utf-8-sig", "ignore")
    except OSError:
        return None


def _stamp(files: Iterable[str]) -> _Stamp:
    return tuple((file, *_state(file)) for file in files)


def _state(file: str) -> tuple[int, int]:
    try:
        found = os.stat(file)  # noqa: PTH116 - a path as text
    except OSError:
        return 0, -1
    return found.st_mtime_ns, found.st_size


def _name(file: Path, top: str) -> str:
    return os.path.relpath(file, top)
