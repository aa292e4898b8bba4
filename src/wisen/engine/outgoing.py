"""How does a record become a line of an export? Equal records give equal lines."""

from __future__ import annotations

from typing import Any, assert_never

import msgspec

from wisen.core.portable import Alias, MemoryRecord, Record
from wisen.core.records import JournalEntry, RootClaim
from wisen.core.types import Memory

_SAID_ABOVE = ("graph", "memory_id")  # once in the record, not in each version of the memory


def line_of(record: Record) -> str:
    """Return a record as one line of JSON, without its line feed."""
    return msgspec.json.encode(_plain(record), order="sorted").decode()


def _plain(record: Record) -> dict[str, Any]:
    match record:
        case MemoryRecord():
            return {
                "record": "memory",
                "graph": str(record.graph),
                "memory_id": record.memory_id,
                "memory": _memory(record.memory),
                "journal": [_entry(entry) for entry in record.journal],
                "keys": record.keys,
            }
        case Alias():
            return {"record": "alias", "old": str(record.old), "new": str(record.new)}
        case RootClaim():
            plain: dict[str, Any] = msgspec.to_builtins(record)
            return {"record": "claim", **plain}
        case _:
            assert_never(record)


def _memory(memory: Memory | None) -> dict[str, Any] | None:
    if memory is None:
        return None
    plain: dict[str, Any] = msgspec.to_builtins(memory)
    return {name: value for name, value in plain.items() if name not in _SAID_ABOVE}


def _entry(entry: JournalEntry) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(entry)
    del plain["memory_id"]
    return plain | {"before": _memory(entry.before), "after": _memory(entry.after)}
