"""Which sessions of a repository were recorded, and what would wisen have been told of each?

A folder `OWNER+NAME` holds `events/SESSION.jsonl.gz` (abstract events) and `raw/SESSION.jsonl.gz` (the agent's own
files), both optional and packed or plain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Final

from wisen.adapters.registry import adapter
from wisen.adapters.scrub import Redact
from wisen.errors import NotFound
from wisen.evals import event_stream
from wisen.evals.places import Atlas, Told
from wisen.evals.replay import opened, payloads
from wisen.transcripts.claude_prompts import timestamp
from wisen.transcripts.claude_words import HARNESS
from wisen.transcripts.fields import Fields
from wisen.transcripts.lines import LineReader

_ENDINGS: Final = (".jsonl", ".jsonl.gz")
_LOOKED_AT: Final = 200  # lines of a file, to see whose it is


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A session on disk; `raw` is empty for one that is played from its abstract events.

    A native file is named after its session.
    """

    session_id: str
    at: datetime
    cwd: str
    agent: str = ""
    stream: Path | None = None
    raw: Path | None = None

    def told(self, atlas: Atlas, redact: Redact) -> Iterator[Told]:
        """Yield what wisen would have been told, and note the places in `atlas`. Raises NotFound, PayloadError."""
        rows = event_stream.rows_of(self.stream) if self.stream else ()
        atlas.chart(self.session_id, rows)
        if self.raw is None:
            yield from event_stream.told(rows, redact=redact)
            return
        for number, call in enumerate(payloads(self.raw, assume_interactive=None)):
            events = adapter(HARNESS).events(
                call.body,
                entrypoint=call.entrypoint,
                delivery_id=f"{self.session_id}-{number:06}",
                received_at=call.at,
                redact=redact,
            )
            for event in events:
                if event.session_id != self.session_id:  # copied by a fork: no hook of this session told of it
                    continue
                # No file is named: in what stands further down, a living session could not have looked.
                yield Told(event=replace(event, transcript="", branch=call.branch), place=None)

    @contextmanager
    def file(self, scratch: Path) -> Iterator[Path | None]:
        """Lend the agent's own file, unpacked; None for a session that is played from its abstract events."""
        if self.raw is None:
            yield None
            return
        path = scratch / f"{self.session_id}.jsonl"
        with opened(self.raw) as packed:
            path.write_bytes(packed.read())
        try:
            yield path
        finally:
            path.unlink()


def repository_of(folder: Path) -> str:
    """Return `owner/name` of a folder `owner+name`; raises NotFound for a folder without sessions."""
    if not any((folder / part).is_dir() for part in ("events", "raw")):
        raise NotFound(f"no sessions in {folder}", hint="give a folder that holds events/ or raw/")
    owner, plus, name = folder.resolve().name.partition("+")
    return f"{owner}/{name}" if plus and owner and name else f"local/{folder.resolve().name}"


def sessions_in(folder: Path, *, raw: bool) -> tuple[Recorded, ...]:
    """Return a folder's sessions in the order in which they began.

    With `raw`, those whose files a hook's payloads can be made of (Claude Code's), else those told as abstract events.
    Raises NotFound for none.
    """
    found = [session for path in _files(folder / ("raw" if raw else "events")) if (session := _looked_at(path, raw))]
    if not found:
        raise NotFound(f"no sessions in {folder / ('raw' if raw else 'events')}")
    return tuple(sorted(found, key=lambda session: (session.at, session.session_id)))


def _files(folder: Path) -> Sequence[Path]:
    return [path for path in sorted(folder.glob("*")) if path.name.endswith(_ENDINGS)]


def _looked_at(path: Path, raw: bool) -> Recorded | None:  # noqa: FBT001 -- see sessions_in
    return _of_file(path) if raw else _of_stream(path)


def _of_stream(path: Path) -> Recorded | None:
    beginning = event_stream.beginning_of(event_stream.rows_of(path))
    if beginning is None:
        return None
    return Recorded(
        session_id=beginning.session_id, at=beginning.at, cwd=beginning.cwd, agent=beginning.agent, stream=path
    )


def _of_file(path: Path) -> Recorded | None:
    """Look at the first lines of a native file; None where it is none of Claude Code's."""
    at: datetime | None = None
    cwd = session_id = ""
    for fields in _first_lines(path):
        session_id = session_id or fields.text("sessionId")
        cwd = cwd or fields.text("cwd")
        at = at or timestamp(fields.value("timestamp"))
        if at and cwd and session_id:
            break
    if at is None or not session_id or not cwd:
        return None
    streams = path.parent.parent / "events"
    stream = next((one for one in (streams / path.name, streams / f"{path.name}.gz") if one.exists()), None)
    name = path.name.partition(".")[0]
    return Recorded(session_id=name, at=at, cwd=cwd, agent="Claude Code", stream=stream, raw=path)


def _first_lines(path: Path) -> Iterator[Fields]:
    with opened(path) as file:
        for number, line in enumerate(LineReader(file)):
            if number >= _LOOKED_AT:
                return
            yield line.fields
