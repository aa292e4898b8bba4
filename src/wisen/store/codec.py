"""How do stored values become JSON text and come back as the same values?

Times are RFC 3339 in UTC. Unknown fields are ignored, unknown enum values are not: a reader that guesses would act on
a status or source it does not understand.
"""

from __future__ import annotations

from typing import Any, TypeVar, get_type_hints

import msgspec

from wisen.core.types import EVENT_NAMES, Event, GraphId, Memory
from wisen.errors import StoreDamaged

T = TypeVar("T")

_BODIES = {name: body for body, name in EVENT_NAMES.items()}
_HEAD = {name: kind for name, kind in get_type_hints(Event).items() if name != "body"}
_HINT = "written by a newer wisen, or changed by hand; upgrade wisen, or restore the file from a backup"


def encode(value: object) -> str:
    """Return the JSON text of a dataclass, tuple or mapping of plain values."""
    return msgspec.json.encode(value).decode()


def decode(text: str, kind: type[T], where: str) -> T:
    """Return the value in `text`; `where` names the row. Raises StoreDamaged for what this version can't read."""
    try:
        return msgspec.json.decode(text.encode(), type=kind)
    except msgspec.MsgspecError as error:
        raise StoreDamaged(f"{where}: {error}", hint=_HINT) from error


def encode_memory(memory: Memory) -> str:
    """Return the JSON text of a memory without its graph: the file it is in says that."""
    plain: dict[str, Any] = msgspec.to_builtins(memory)
    del plain["graph"]
    return encode(plain)


def decode_memory(text: str, graph: GraphId, where: str) -> Memory:
    """Return the memory in `text` as one of `graph`. Raises StoreDamaged."""
    try:
        return msgspec.convert(_fields(text) | {"graph": graph}, Memory)
    except msgspec.MsgspecError as error:
        raise StoreDamaged(f"{where}: {error}", hint=_HINT) from error


def encode_event(event: Event) -> str:
    """Return the JSON text of an event, its name included, because the name says which body it has."""
    plain: dict[str, Any] = msgspec.to_builtins(event)
    return encode(plain | {"name": event.name})


def decode_event(text: str, where: str) -> Event:
    """Return the event in `text`. Raises StoreDamaged."""
    try:
        plain = _fields(text)
        body = _BODIES.get(name := plain.pop("name", ""))
        if body is None:
            raise StoreDamaged(f"{where}: unknown event {name!r}", hint=_HINT)
        head = {name: msgspec.convert(plain[name], kind) for name, kind in _HEAD.items() if name in plain}
        return Event(body=msgspec.convert(plain["body"], body), **head)
    except (msgspec.MsgspecError, KeyError, TypeError) as error:  # TypeError: a field without a default is missing
        raise StoreDamaged(f"{where}: {error}", hint=_HINT) from error


def _fields(text: str) -> dict[str, Any]:
    return msgspec.json.decode(text.encode(), type=dict[str, Any])
