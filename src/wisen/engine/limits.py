"""What may a memory hold, whoever writes it? Said once, for the user's hand and for what comes in from a file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from wisen.core.lifecycle import kept_evidence, most_sure
from wisen.core.types import GraphKind, Memory, Visibility
from wisen.errors import InvalidValue

MAX_TEXT_CHARS: Final = 2000

LONGEST_SNOOZE: Final = timedelta(days=3660)
"""Ten years: beyond it somebody mistyped a year, or means `forget`."""

MOST_PARTS: Final = 1000
"""Of tags, anchors, memories that it replaces."""

MOST_COUNTED: Final = 10**9
"""Uses and sightings: far below what a store can count to, so that it can go on."""

LONGEST_HALF_LIFE_DAYS: Final = 36_600
"""A hundred years: what fades more slowly does not fade."""

APART: Final = timedelta(days=1)
"""How far the clocks of two computers may be apart."""


def bounded(memory: Memory, now: datetime) -> tuple[Memory, tuple[str, ...]]:
    """Return a memory from elsewhere within the limits of one that is written here, and what was done to it for that.

    Raises InvalidValue for one that is too long, as writing it here would.
    """
    for name, text in _texts(memory):
        if len(text) > MAX_TEXT_CHARS:
            raise InvalidValue(
                f"`{name}` has {len(text):,} characters; a memory holds at most {MAX_TEXT_CHARS:,} a field"
            )
    for field in fields(memory):
        held = getattr(memory, field.name)
        if field.name != "evidence" and isinstance(held, tuple) and len(held) > MOST_PARTS:
            raise InvalidValue(f"`{field.name}` has {len(held):,} parts; a memory holds at most {MOST_PARTS:,}")
    changes = dict(_settled(memory, now))
    values: dict[str, Any] = {name: value for name, (value, _) in changes.items()}
    return replace(memory, **values) if values else memory, tuple(why for _, why in changes.values())


def _settled(memory: Memory, now: datetime) -> Iterator[tuple[str, tuple[object, str]]]:
    """Yield the fields that claim what none written here could, each with the value it gets and why."""
    for name in ("created_at", "authored_at", "verified_at", "last_used_at"):
        at = getattr(memory, name)
        if at is not None and at > now + APART:
            yield name, (now, f"`{name}` was still to come: set to now")
    if memory.snoozed_until is not None and memory.snoozed_until > now + LONGEST_SNOOZE:
        yield "snoozed_until", (None, "`snoozed_until` was more than ten years away: not snoozed")
    if memory.confidence > (most := most_sure(memory.origin)):
        yield "confidence", (most, f"`confidence` was more than what {memory.origin.value} says can be: set to {most}")
    if memory.half_life_days is not None and not 0 < memory.half_life_days <= LONGEST_HALF_LIFE_DAYS:
        yield "half_life_days", (None, "`half_life_days` was not more than 0 and at most a hundred years: left out")
    for name in ("support", "uses"):
        if getattr(memory, name) > MOST_COUNTED:
            yield name, (MOST_COUNTED, f"`{name}` was more than is counted: set to {MOST_COUNTED:,}")
    visible = Visibility.PERSON if memory.graph.kind is GraphKind.USER else Visibility.REPO
    if memory.visibility is not visible:
        yield "visibility", (visible, f"`visibility` was {memory.visibility.value}: set to {visible.value}")
    if len(kept := kept_evidence(memory.evidence)) < len(memory.evidence):
        yield "evidence", (kept, f"`evidence` was more than a memory keeps: {len(kept)} of it are kept")


def _texts(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text in a memory with the name of its field."""
    match value:
        case str():
            yield name, value
        case tuple():
            for part in value:
                yield from _texts(part, name)
        case _ if is_dataclass(value):
            for field in fields(value):
                yield from _texts(getattr(value, field.name), f"{name}.{field.name}" if name else field.name)
