"""Which values may be kept at all? Said once, for every store and for what comes in from a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime
from enum import Enum
from math import isfinite
from typing import Any, Final, TypeVar

from wisen.core.types import Memory
from wisen.errors import InvalidValue

T = TypeVar("T")

FIRST_YEAR: Final = 2000
"""Before this year no coding agent ran: such a time is seconds taken for milliseconds, or an unset clock."""

MOST: Final = 2**53
"""Beyond it a JSON reader may round."""


def storable(value: T) -> T:
    """Return the value as a store can hold it: equal to it, but for three things.

    Lone surrogates (half an emoji, an undecodable file name) become U+FFFD, because no UTF-8 text can hold them and
    losing the whole event over one of them would be worse; aware times become UTC; lists become tuples.
    Raises InvalidValue for a time without a zone and for a number that is not finite.
    """
    result: T = _storable(value, type(value).__name__)
    return result


def keepable(memory: Memory) -> Memory:
    """Return the memory as a store can hold it.

    Raises InvalidValue for a field that holds something it may not hold.
    """
    memory = storable(memory)
    if not memory.memory_id:
        raise InvalidValue("memory_id is empty")
    if not 0 <= memory.confidence <= 1:
        raise InvalidValue(f"confidence is {memory.confidence}, not within 0..1")
    if not 0 <= memory.support < MOST or not 0 <= memory.uses < MOST:
        raise InvalidValue(f"support {memory.support} or uses {memory.uses} is not within 0..{MOST}")
    if memory.created_at.year < FIRST_YEAR:
        raise InvalidValue(f"created_at is {memory.created_at.isoformat()}: before {FIRST_YEAR}, a wrong unit or clock")
    return memory


def _storable(value: Any, name: str) -> Any:
    if isinstance(value, Enum):
        return value
    match value:
        case str():
            return value if value.isascii() else _text(value)
        case datetime():
            return _utc(value, name)
        case float() if not isfinite(value):
            raise InvalidValue(f"{name} is {value}")
        case tuple() | list():
            return tuple(_storable(item, name) for item in value)
        case frozenset():
            return frozenset(_storable(item, name) for item in value)
        case Mapping():
            return {_storable(key, name): _storable(item, name) for key, item in value.items()}
        case _ if is_dataclass(value) and not isinstance(value, type):
            return replace(value, **{f.name: _storable(getattr(value, f.name), f.name) for f in fields(value)})
        case _:
            return value


def _text(value: str) -> str:
    # through UTF-16, so that two halves that meet become the character they were meant to be
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _utc(value: datetime, name: str) -> datetime:
    if value.utcoffset() is None:
        raise InvalidValue(f"{name} is {value.isoformat()}, without a time zone")
    try:
        return value.astimezone(UTC)
    except OverflowError as error:
        raise InvalidValue(f"{name} is {value.isoformat()}, beyond the calendar") from error
