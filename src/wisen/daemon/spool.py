"""What happened while no daemon listened? Pointers that the hook left, one file each, oldest first.

An entry names an event and where its content can be read; it is deleted once the consumer says it is on disk. One
that can't be read is set aside and counted, never in the way of the others.
"""

from __future__ import annotations

import heapq
import logging
import os
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

log = logging.getLogger(__name__)

BATCH: Final = 5000  # entries that are read at once
ENTRY_MAX_BYTES: Final = 64 << 10  # six fields of at most 4 KB
_KEPT_S: Final = {".tmp": 3600, ".damaged": 30 * 86_400}  # a hook that still writes after an hour has died


@dataclass(frozen=True, slots=True, kw_only=True)
class SpoolEntry:
    """A pointer to one event. Texts are empty where the hook did not find them."""

    file: Path
    harness: str
    event_name: str  # in the harness's words
    session_id: str
    transcript: str
    cwd: str
    entrypoint: str
    was_there: bool = False  # the transcript, when the event happened


class _Pointer(msgspec.Struct, frozen=True):
    """An entry as the hook writes it. What nothing reads is for the person who looks at it."""

    v: Literal[1]
    harness: str
    delivery: str
    at_ns: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
    event: str
    session_id: str
    transcript_path: str
    transcript_bytes: int  # its size when the event happened; -1 when there was none
    cwd: str
    entrypoint: str


def pending(spool_dir: Path) -> Sequence[SpoolEntry]:
    """Return the oldest entries, at most BATCH, by the time of their event."""
    (spool_dir / "full").unlink(missing_ok=True)  # the hooks may count again
    names = _names(spool_dir)
    _sweep(spool_dir, names)
    found = []
    for name in heapq.nsmallest(BATCH, (name for name in names if name.endswith(".json"))):
        file = spool_dir / name
        try:
            found.append(_entry(file))
        except FileNotFoundError:
            continue
        except (OSError, msgspec.MsgspecError, RecursionError) as error:
            log.warning("pointer_unreadable", extra={"file": file.name, "error": type(error).__name__})
            _set_aside(file)
    return found


def acknowledge(entry: SpoolEntry) -> None:
    """Delete an entry whose event is on disk. No effect the second time."""
    entry.file.unlink(missing_ok=True)


def set_aside(entry: SpoolEntry) -> None:
    """Keep an entry whose event can't be read where it is in nobody's way. No effect the second time."""
    _set_aside(entry.file)


def damaged(spool_dir: Path) -> int:
    """Return how many entries were set aside because they could not be read."""
    return sum(name.endswith(".damaged") for name in _names(spool_dir))


def dropped(spool_dir: Path) -> int:
    """Return how many events the hooks have dropped because the spool was full. They count by the byte."""
    try:
        return (spool_dir / "dropped").stat().st_size
    except OSError:
        return 0


def _set_aside(file: Path) -> None:
    with suppress(FileNotFoundError):
        file.replace(file.with_suffix(".damaged"))


def _entry(file: Path) -> SpoolEntry:
    """Read one entry. Raises OSError, and MsgspecError or RecursionError when it is not one."""
    with file.open("rb") as opened:
        said = msgspec.json.decode(opened.read(ENTRY_MAX_BYTES), type=_Pointer)
    return SpoolEntry(
        file=file,
        harness=said.harness,
        event_name=said.event,
        session_id=said.session_id,
        transcript=said.transcript_path,
        cwd=said.cwd,
        entrypoint=said.entrypoint,
        was_there=said.transcript_bytes >= 0,
    )


def _names(spool_dir: Path) -> list[str]:
    """Return what is in the spool. Of 100,000 names `glob` makes paths for ten times as long, and nobody else runs."""
    try:
        return os.listdir(spool_dir)  # noqa: PTH208 - names, not paths
    except FileNotFoundError:
        return []


def _sweep(spool_dir: Path, names: Iterable[str]) -> None:
    """Delete what hooks that died while writing left, and what could not be read long ago."""
    for name in names:
        kept_s = _KEPT_S.get(name[name.rfind(".") :])
        with suppress(FileNotFoundError):
            if kept_s and time.time() - (spool_dir / name).stat().st_mtime > kept_s:
                (spool_dir / name).unlink()
