"""Where of ours is a text that was erased still held: in which backups, in which databases that were set aside?

The live databases are not looked at: they were erased from, and may rightly hold the same words in another memory.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

from wisen.store.sqlite.backup import MANIFEST
from wisen.store.sqlite.files import SUFFIXES

# Both ends of a text are looked for, each so long: SQLite may cut a long one at a page's edge.
_END_BYTES: Final = 48
# Less is in any file by chance.
_LEAST_BYTES: Final = 8
_CHUNK_BYTES: Final = 1 << 20


def places_holding(texts: Collection[str], *directories: Path) -> tuple[Path, ...]:
    """Return the backups and single files below some directories that hold one of the texts, sorted.

    A text is found in the spelling it had, as it stands or as JSON; one of less than 8 bytes is not looked for. What
    can't be read is passed over.
    """
    wanted = sorted({needle for text in texts for needle in _needles(text)})
    if not wanted:
        return ()
    files = {path for directory in directories for path in directory.rglob("*") if not path.is_symlink()}
    holding = [path for path in files if not _is_live(path, directories) and _holds(path, wanted)]
    return tuple(sorted({_whole(path, directories) for path in holding}))


def _whole(path: Path, directories: Sequence[Path]) -> Path:
    """Return the backup that a file is part of, because it can only be dropped as a whole; else the file."""
    below = (one for one in path.parents if any(directory in one.parents for directory in directories))
    return next((one for one in below if (one / MANIFEST).is_file()), path)


def _is_live(path: Path, directories: Sequence[Path]) -> bool:
    if not path.name.endswith((".db", *(f".db{suffix}" for suffix in SUFFIXES))):
        return False
    return any(path.parent in {directory, directory / "graphs"} for directory in directories)


def _needles(text: str) -> Iterator[bytes]:
    for spelled in (text, json.dumps(text, ensure_ascii=False)[1:-1]):
        data = spelled.encode("utf-8", "surrogatepass")
        if len(data) >= _LEAST_BYTES:
            yield from (data[:_END_BYTES], data[-_END_BYTES:])


def _holds(path: Path, needles: Sequence[bytes]) -> bool:
    try:
        with path.open("rb") as file:
            kept = b""
            while chunk := file.read(_CHUNK_BYTES):
                here = kept + chunk
                if any(needle in here for needle in needles):
                    return True
                kept = here[-_END_BYTES:]
    except OSError:
        return False
    return False
