"""Where in a recorded session does something stand? Labels name a session and a line; events and evidence have ids.

The two halves of a tool call are one place: a label may name either of them, and so may a memory's evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from wisen.core.types import Event, EventRef, UserPrompt
from wisen.transcripts.claude_words import tool_key
from wisen.transcripts.fields import Fields

_HEAD_CHARS = 200  # of a prompt, by which it is known in another telling of its session


class Place(NamedTuple):
    """A line of a session told as abstract events."""

    session_id: str
    seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An event, and its place if that is known."""

    event: Event
    place: Place | None


@dataclass(slots=True)
class Atlas:
    """Places by event id, and the one place of both halves of a call."""

    _calls: dict[Place, Place] = field(default_factory=dict)
    _by_event: dict[str, Place] = field(default_factory=dict)
    _said: dict[tuple[str, str], list[Place]] = field(default_factory=dict)

    def chart(self, session_id: str, rows: Iterable[Fields]) -> None:
        """Note the places of a session's lines."""
        begun: dict[str, Place] = {}
        for row in rows:
            number = row.number("seq")
            if number is None:
                continue
            place = Place(session_id, int(number))
            if call_id := row.text("call_id"):
                first = begun.setdefault(call_id, place)
                self._calls[place] = first
                for key in (tool_key("pre_tool", call_id), tool_key("post_tool", call_id)):
                    self._by_event.setdefault(key, first)
            elif row.text("event") == "user_prompt":
                self._said.setdefault((session_id, _head(row.text("text"))), []).append(place)

    def same(self, place: Place) -> Place:
        """Return the place that stands for one: a call's beginning for its end."""
        return self._calls.get(place, place)

    def note(self, event: Event, place: Place | None) -> Place | None:
        """Remember where an event stands, and return that; found by its words where nobody knows."""
        found = self.same(place) if place else self._by_event.get(event.event_id) or self._by_words(event)
        if found is not None:
            self._by_event[event.event_id] = found
        return found

    def places_of(self, evidence: Sequence[EventRef]) -> frozenset[Place]:
        """Return where pieces of evidence stand, as far as that is known."""
        found = (self._by_event.get(ref.event_id) for ref in evidence)
        return frozenset(place for place in found if place is not None)

    def _by_words(self, event: Event) -> Place | None:
        if not isinstance(event.body, UserPrompt):
            return None
        waiting = self._said.get((event.session_id, _head(event.body.text)))
        return waiting.pop(0) if waiting else None


def _head(text: str) -> str:
    return " ".join(text.split())[:_HEAD_CHARS].casefold()
