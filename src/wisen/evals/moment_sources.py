"""What happened where a lesson was learned, as wisen would have seen it: the call, the error, the call's signature?

Read from sessions told as abstract events (`docs/howto/measure.md`). The signature is the trigger of the recipe that
wisen makes of that failure; where it makes none (somebody else has written the lesson), the call that failed and the
kind of its error. A search has the names it was for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from wisen.core.commands import head
from wisen.core.signals.error_kinds import Kind
from wisen.core.signals.failure_delta import recipes
from wisen.core.signals.failures import failure_of, without_exit_code
from wisen.core.signals.recipe_text import kept_word
from wisen.core.signals.repeated_lookup import sought_in
from wisen.core.types import Event, Outcome, PostTool, PreTool, Signal, ToolCall, Trigger
from wisen.errors import NotFound
from wisen.evals import event_stream
from wisen.evals.places import Atlas, Place, Told
from wisen.redact import FloorRedactor

ERROR_CHARS: Final = 200  # as much as a recipe's evidence quotes
COMMAND_CHARS: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What was done and printed where a lesson was learned; empty where that was no call.

    `is_recipe` says that wisen made a recipe of it by itself: the trigger is that one's.
    """

    command: str = ""
    error: str = ""
    trigger: Trigger | None = None
    is_recipe: bool = False
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """The events of a session, and where they stand."""

    told: tuple[Told, ...] = ()
    atlas: Atlas

    @property
    def events(self) -> tuple[Event, ...]:
        """The events in the order of their lines."""
        return tuple(one.event for one in self.told)

    def at(self, place: Place) -> tuple[Event, ...]:
        """Return the events of a place: both halves of a call, whichever of them is named."""
        wanted = self.atlas.same(place)
        return tuple(one.event for one in self.told if one.place and self.atlas.same(one.place) == wanted)

    def origin(self, place: Place, *, quote: str) -> Origin:
        """Return what happened at a place; `quote` is its label's, for a call of whose end no hook tells."""
        events = self.at(place)
        call = call_in(events)
        if call is None:
            return Origin()
        made = _recipe_of(events, self.events)
        return Origin(
            command=(call.command or call.summary)[:COMMAND_CHARS],
            error=_error_in(events, quote)[:ERROR_CHARS],
            trigger=made.trigger if made else _call_that_failed(events),
            is_recipe=made is not None,
            names=sought_in(call),
        )


def call_in(events: Iterable[Event]) -> ToolCall | None:
    """Return the call that events are halves of, None for no call."""
    return next((event.body.call for event in events if isinstance(event.body, PreTool | PostTool)), None)


def _recipe_of(events: Sequence[Event], session: Sequence[Event]) -> Signal | None:
    """Return what wisen learns of a failure by itself."""
    ids = {event.event_id for event in events}
    return next((one for one in recipes(session) if one.evidence and one.evidence[0].event_id in ids), None)


def _call_that_failed(events: Iterable[Event]) -> Trigger | None:
    """Return the signature of a failure, None where none says anything."""
    failure = next((found for event in events if (found := failure_of(event))), None)
    if failure is None:
        return None
    segment = failure.segment
    return Trigger(
        program=segment.program,
        subcommand=" ".join(word for word in head(segment)[1:] if kept_word(word) == word)
        if segment.subcommand
        else "",
        flags=(failure.word,) if failure.kind is Kind.UNKNOWN_OPTION and failure.word else (),
        error_class=failure.kind.value,
    )


def _error_in(events: Iterable[Event], quote: str) -> str:
    ended = next((event.body for event in events if isinstance(event.body, PostTool)), None)
    if ended is None:
        return quote
    return without_exit_code(ended.excerpt) if ended.outcome is Outcome.FAILURE else ""


@dataclass(slots=True)
class Sessions:
    """The recorded sessions below a directory of folders `owner+name`; each is read once."""

    corpus: Path
    _read: dict[Path, Session] = field(default_factory=dict)

    def session(self, repository: str, session_id: str) -> Session:
        """Return a session, one without events where there is no record of it.

        Raises NotFound for a repository without any, PayloadError for a line that is none.
        """
        folder = folder_of(self.corpus, repository) / "events"
        if not folder.is_dir():
            raise NotFound(f"no sessions of {repository} in {self.corpus}", hint=f"they would be in {folder}")
        path = folder / f"{session_id}.jsonl.gz"
        if path not in self._read:
            self._read[path] = read_session(session_id, path if path.exists() else path.with_suffix(""))
        return self._read[path]


def folder_of(corpus: Path, repository: str) -> Path:
    """Return where the sessions of a repository `owner/name` are."""
    return corpus / repository.replace("/", "+", 1)


def read_session(session_id: str, path: Path) -> Session:
    """Return a session that a file tells, one without events for no file. Raises NotFound, PayloadError."""
    atlas = Atlas()
    if not path.exists():
        return Session(atlas=atlas)
    rows = event_stream.rows_of(path)
    atlas.chart(session_id, rows)
    return Session(told=tuple(event_stream.told(rows, redact=FloorRedactor().redact)), atlas=atlas)
