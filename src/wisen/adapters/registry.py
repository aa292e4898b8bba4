"""Which harnesses do we speak? A new one is one adapter, one transcript reader and one line here.

The harness segment of every graph id is the adapter's own `name`; no setting, header or payload can change it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from wisen.adapters import claude_file
from wisen.adapters.claude_code import ClaudeCode
from wisen.adapters.opencode import OpenCode
from wisen.adapters.scrub import Redact
from wisen.core.types import Event
from wisen.errors import NotFound
from wisen.ports import HistoryReader, PastReader, TranscriptReader, TranscriptSize
from wisen.transcripts import claude_code as claude_code_files


class Adapter(Protocol):
    """Translates between one harness's JSON and the core's events. Pure: no clock, no files, no environment."""

    @property
    def name(self) -> str:
        """The harness segment of graph ids."""
        ...

    def events(
        self, payload: bytes, *, entrypoint: str, delivery_id: str, received_at: datetime, redact: Redact
    ) -> tuple[Event, ...]:
        """Return the events in a hook payload, none when wisen has no use for it.

        Every text goes through `redact` before anything is made of it.
        `entrypoint` is what the harness's environment says about how it was started, '' when unknown.
        Raises PayloadError for bytes that are no hook payload.
        """
        ...

    def is_interactive(self, entrypoint: str) -> bool:
        """Say whether a person sits at a harness that was started so."""
        ...

    def ends_context(self, hook: str) -> bool:
        """Say whether the harness's event of that name ends a session or empties its context."""
        ...

    def reply(self, event_name: str, text: str, *, notice: str = "") -> bytes:
        """Return the document that injects `text` at the abstract event; empty when it can't or needn't be.

        `notice` is a line for the person, who must see it without the model seeing it.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Harness:
    adapter: Adapter
    read: PastReader | None = None  # none where an event names no session file
    size: TranscriptSize | None = None
    history: HistoryReader | None = None


def _claude_code_size(path: str, /) -> int | None:
    return claude_code_files.size(Path(path))


def _claude_code_history(path: str, last_reply_at: datetime | None = None, /) -> frozenset[str]:
    return claude_code_files.injected_ids(Path(path), last_reply_at=last_reply_at)


_HARNESSES: Mapping[str, _Harness] = {
    harness.adapter.name: harness
    for harness in (
        _Harness(adapter=ClaudeCode(), read=claude_file.read, size=_claude_code_size, history=_claude_code_history),
        _Harness(adapter=OpenCode()),
    )
}


def adapter(harness: str) -> Adapter:
    """Return the adapter of a harness. Raises NotFound for one we don't speak."""
    try:
        return _HARNESSES[harness].adapter
    except KeyError:
        raise NotFound(f"no harness named {harness!r}", hint=f"known: {', '.join(sorted(_HARNESSES))}") from None


def transcript_readers() -> Mapping[str, TranscriptReader]:
    """Return the session-file reader of each harness. A reader raises OSError for a file it can't read."""
    return {name: harness.read for name, harness in _HARNESSES.items() if harness.read}


def past_readers() -> Mapping[str, PastReader]:
    """Return the reader of each harness for sessions that no hook told of: the same one, which tells more."""
    return {name: harness.read for name, harness in _HARNESSES.items() if harness.read}


def transcript_sizes() -> Mapping[str, TranscriptSize]:
    """Return, by harness, what tells a session file's size."""
    return {name: harness.size for name, harness in _HARNESSES.items() if harness.size}


def transcript_histories() -> Mapping[str, HistoryReader]:
    """Return, by harness, the reader of what a session's living context already shows."""
    return {name: harness.history for name, harness in _HARNESSES.items() if harness.history}
