"""Which sessions of Claude Code lie on this disk? Found by a look at both ends of each file, which costs a millisecond.

Session files are `<config>/projects/<folder>/<session id>.jsonl`; the folder's name is the directory in which the
session began, with everything but letters and digits made a hyphen. Those of subagents begin with `agent-`, or lie in
a folder of their own one level deeper.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from wisen.core.past import TITLE_CHARS, PastSession
from wisen.transcripts.claude_code import opened
from wisen.transcripts.claude_prompts import timestamp
from wisen.transcripts.claude_words import is_harness_prompt
from wisen.transcripts.fields import Fields, texts_in
from wisen.transcripts.lines import LineReader

_HEAD_BYTES: Final = 256 * 1024
_TAIL_BYTES: Final = 64 * 1024
_OF_SUBAGENT: Final = "agent-"


def config_dir(env: Mapping[str, str], home: Path) -> Path:
    """Return Claude Code's own directory: CLAUDE_CONFIG_DIR, else `.claude` in the home directory."""
    chosen = env.get("CLAUDE_CONFIG_DIR")
    return Path(chosen).absolute() if chosen else home / ".claude"


def session_files(place: Path) -> tuple[Path, ...]:
    """Return the session files below a directory, sorted: a configuration directory, its `projects`, or one project.

    Subagents' files are left out. Nothing for a directory that is not there or can't be read.
    """
    projects = place / "projects"
    top = projects if projects.is_dir() else place
    found = [path for folder in (top, *_folders(top)) for path in _files(folder)]
    return tuple(sorted(found))


def look(path: Path) -> PastSession | None:
    """Return what the two ends of a session file tell; None for what can't be read."""
    try:
        with opened(path) as file:
            size = os.fstat(file.fileno()).st_size
            head = _head(LineReader(file, end=_HEAD_BYTES))
            tail = LineReader(file, start=max(size - _TAIL_BYTES, 0), mentioning=(b'"timestamp"',))
            last_at = max(filter(None, (_time(line.fields) for line in tail)), default=head.first_at)
    except OSError:
        return None
    return PastSession(
        path=str(path),
        session_id=path.stem,
        size=size,
        project=path.parent.name,
        cwd=head.cwd,
        title=" ".join(head.title.split())[:TITLE_CHARS],
        first_at=head.first_at,
        last_at=last_at,
    )


@dataclass(slots=True)
class _Head:
    cwd: str = ""
    title: str = ""
    is_titled: bool = False  # by the harness itself
    first_at: datetime | None = None


def _head(reader: LineReader) -> _Head:
    """Return where and when a session began and what it is called: the harness's title, else the first prompt."""
    head = _Head()
    for line in reader:
        fields = line.fields
        if named := fields.text("aiTitle"):
            head.title, head.is_titled = named, True
        head.cwd = head.cwd or fields.text("cwd")
        head.first_at = head.first_at or _time(fields)
        head.title = head.title or _first_words(fields)
        if head.cwd and head.first_at and head.is_titled:
            break
    return head


def _first_words(fields: Fields) -> str:
    is_aside = any(fields.flag(name) for name in ("isMeta", "isSidechain", "isCompactSummary"))
    if fields.text("type") != "user" or is_aside:
        return ""
    parts = texts_in(fields.object("message").value("content"))
    return "\n".join(part for part in parts if not is_harness_prompt(part))


def _time(fields: Fields) -> datetime | None:
    return timestamp(fields.value("timestamp"))


def _folders(top: Path) -> Sequence[Path]:
    return [Path(entry.path) for entry in _entries(top) if entry.is_dir()]


def _files(folder: Path) -> Iterator[Path]:
    for entry in _entries(folder):
        if entry.name.endswith(".jsonl") and not entry.name.startswith(_OF_SUBAGENT) and entry.is_file():
            yield Path(entry.path)


def _entries(folder: Path) -> Sequence[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return ()
