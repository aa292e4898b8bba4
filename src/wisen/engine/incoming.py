"""What does a line of an export say? It may be of an older or a newer wisen, cut by hand, or made by somebody else.

What is missing is filled in, what is not known is left out, and each of that is told. A line that says nothing usable
raises, and the caller goes on with the next one.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from itertools import zip_longest
from typing import Any, Final, TypeAlias

import msgspec

from wisen.core.graphids import parse_graph_id
from wisen.core.keeping import keepable, storable
from wisen.core.lifecycle import fingerprint, with_usage_of
from wisen.core.portable import Alias, MemoryRecord, Record, renumbered
from wisen.core.records import Actor, JournalEntry, RootClaim
from wisen.core.types import Anchor, EventRef, GraphId, Memory, MemoryKind, Origin, Status, Trigger
from wisen.errors import InvalidValue

_Fields: TypeAlias = dict[str, Any]

_RECORD: Final = frozenset({"record", "graph", "memory_id", "memory", "journal", "keys"})
_PARTS: Final[Mapping[str, type]] = {"evidence": EventRef, "anchors": Anchor, "trigger": Trigger}
_ID: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{7,63}")
_KEY: Final = re.compile(r"[0-9a-f]{32}")
_HIGHEST_NUMBER: Final = 2**40  # of a change: the graph it comes into goes on counting from there
_IDS: Final = uuid.UUID("6f3c0a52-8f6e-5d0b-9d8e-77a1f1d0c9b4")  # names the ids of memories that came without one

# What a memory is taken for where its line does not say. Who said it, and whether it may be recalled, is never guessed
# upwards: such a memory waits for review.
_TAKEN_FOR: Final[Mapping[str, object]] = {
    "kind": MemoryKind.SEMANTIC.value,
    "origin": Origin.ASSISTANT_INFERRED.value,
    "status": Status.PENDING_REVIEW.value,
}

_COMPUTED: Final = frozenset({"digest", "created_at"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """What a line says, and what had to be done to it, in words that are the same for every line."""

    record: Record
    notes: tuple[str, ...] = ()


def read_line(line: str, *, now: datetime, graph: GraphId | None = None) -> Incoming:
    """Return what a line says; `graph` is that of a memory which does not name one.

    Raises InvalidValue for what is no record, or one without what it is about.
    """
    try:
        said = msgspec.json.decode(line, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise InvalidValue(f"not a JSON object: {error}") from error
    notes = _Notes()
    match said.get("record"):
        case "memory":
            record: Record = _memory_record(said, notes, now=now, fallback=graph)
        case "alias":
            notes.unknown(said, {"record", "old", "new"})
            record = Alias(old=parse_graph_id(_text(said, "old")), new=parse_graph_id(_text(said, "new")))
        case "claim":
            notes.unknown(said, {"record", *(f.name for f in fields(RootClaim))})
            claim: RootClaim = _converted({n: value for n, value in said.items() if n != "record"}, RootClaim)
            parse_graph_id(claim.graph)
            record = storable(claim)
        case other:
            raise InvalidValue(f"not a record this wisen knows: {other!r}")
    return Incoming(record=record, notes=tuple(notes.said))


class _Notes:
    """What was done to a line, each thing once."""

    def __init__(self) -> None:
        self.said: dict[str, None] = {}

    def add(self, what: str) -> None:
        self.said[what] = None

    def missing(self, filled: Iterable[tuple[str, str]], of: str = "") -> None:
        """Note in one line which fields are missing, those together that are filled in alike."""
        names: dict[str, list[str]] = {}
        for name, how in filled:
            names.setdefault(how, []).append(f"`{name}`")
        if names:
            self.add(f"missing{of}: " + "; ".join(f"{', '.join(each)} ({how})" for how, each in names.items()))

    def unknown(self, said: Mapping[str, object], known: Container[str]) -> None:
        for name in said:
            if name in known:
                continue
            self.add(f"`{name[:40]}` is not known to this wisen: left out")


# --- a memory with its history ----------------------------------------------------------------------------------


def _memory_record(said: _Fields, notes: _Notes, *, now: datetime, fallback: GraphId | None) -> MemoryRecord:
    notes.unknown(said, _RECORD)
    if fallback is not None and said.get("graph") is None:
        notes.add("`graph` is missing: taken for the one it is imported into")
        graph = fallback
    else:
        graph = parse_graph_id(_text(said, "graph"))
    memory_id = said.get("memory_id") or _made_id(graph, said.get("memory"), notes)
    if not isinstance(memory_id, str) or not _ID.fullmatch(memory_id):
        raise InvalidValue(f"{memory_id!r} is not the id of a memory")
    changes = _list(said, "journal")
    when = _first_time(said.get("memory"), changes) or now

    read: list[tuple[object, Memory]] = []

    def version(said_of_it: object) -> Memory | None:
        """Read a version of the memory; most are the one before or after a change, and are read once."""
        if said_of_it is None:
            return None
        for known, found in reversed(read[-2:]):
            if known == said_of_it:
                return found
        read.append((said_of_it, _memory(said_of_it, graph, memory_id, when, notes)))
        return read[-1][1]

    memory = version(said.get("memory"))
    journal = tuple(sorted((_entry(one, memory_id, version, notes) for one in changes), key=lambda e: e.seq))
    if memory is not None and not journal:
        notes.add("its journal is missing: it begins with this import")
        journal = (_beginning(memory, now),)
    if memory is None and not journal and not said.get("keys"):
        raise InvalidValue("there is neither a memory nor a trace of one")
    journal = _tied(journal if memory is None else _joined(journal, memory, notes), notes)
    return MemoryRecord(graph=graph, memory_id=memory_id, memory=memory, journal=journal, keys=_keys(said, notes))


def _memory(said: object, graph: GraphId, memory_id: str, when: datetime, notes: _Notes) -> Memory:
    if not isinstance(said, dict):
        raise InvalidValue("a memory is not a JSON object")
    text = said.get("text")
    if not isinstance(text, str) or not text.strip():
        raise InvalidValue("a memory without `text`: nothing says what is remembered")
    known = {field.name: field for field in fields(Memory)}
    notes.unknown(said, known.keys() - {"graph"})
    given = {name: _known_parts(name, value, notes) for name, value in said.items() if name in known}
    given |= {"graph": graph, "memory_id": memory_id, "digest": fingerprint(text)}
    if said.get("digest", given["digest"]) != given["digest"]:
        notes.add("`digest` is not that of the text: computed anew")
    filled: _Fields = {"created_at": when, **_TAKEN_FOR}
    missing = {name: field for name, field in known.items() if name not in said and name not in {"graph", "memory_id"}}
    notes.missing(
        (name, "computed" if name in _COMPUTED else f"taken for {_shown(filled.get(name, field.default))}")
        for name, field in missing.items()
    )
    given |= {name: value for name, value in filled.items() if name in missing}
    return _in_order(keepable(_converted(given, Memory)), notes)


def _entry(said: object, memory_id: str, version: Callable[[object], Memory | None], notes: _Notes) -> JournalEntry:
    if not isinstance(said, dict):
        raise InvalidValue("a change in the journal is not a JSON object")
    known = [field.name for field in fields(JournalEntry)]
    notes.unknown(said, known)
    given = {name: value for name, value in said.items() if name in known}
    filled = {"reason": "", "before": None, "after": None, "undone_by": 0, "batch": "", "actor": "system"}
    missing = [name for name in filled if name not in given]
    notes.missing(((name, f"taken for {_shown(filled[name])}") for name in missing), " of a change")
    given = filled | given | {"memory_id": memory_id}
    entry: JournalEntry = _converted(given | {"before": None, "after": None}, JournalEntry)
    if entry.seq < 1:
        raise InvalidValue(f"a change has the number {entry.seq}")
    return replace(storable(entry), before=version(given["before"]), after=version(given["after"]))


def _beginning(memory: Memory, now: datetime) -> JournalEntry:
    return JournalEntry(
        seq=1,
        memory_id=memory.memory_id,
        at=now,
        actor=Actor.USER,
        action="add",
        reason="imported",
        before=None,
        after=memory,
    )


def _joined(journal: Sequence[JournalEntry], memory: Memory, notes: _Notes) -> tuple[JournalEntry, ...]:
    """Return a journal of which each change begins with what the one before left, and the last one left the memory."""
    joined: list[JournalEntry] = []
    before: Memory | None = None
    for entry, later in zip_longest(journal, journal[1:]):
        begins = entry.before if _is_same(entry.before, before) else before
        after = entry.after or (later.before if later else None) or before or memory
        if later is None and after.text != memory.text:
            after = memory
        joined.append(replace(entry, before=begins, after=after))
        before = after
    if tuple(joined) != tuple(journal):
        notes.add("its changes do not lead from one to the next and to the memory: joined where one is missing")
    return tuple(joined)


def _is_same(one: Memory | None, other: Memory | None) -> bool:
    return one == other if one is None or other is None else with_usage_of(one, other) == other


def _tied(journal: tuple[JournalEntry, ...], notes: _Notes) -> tuple[JournalEntry, ...]:
    """Return a journal in which no number comes twice or is beyond reach, and `undone_by` names a later change."""
    numbers = {entry.seq for entry in journal}
    if len(numbers) != len(journal):
        raise InvalidValue("two changes have the same number")
    loose = [e for e in journal if e.undone_by and (e.undone_by not in numbers or e.undone_by <= e.seq)]
    if loose:
        notes.add("a change was undone by one that is not there: it counts as not undone")
    tied = tuple(replace(e, undone_by=0) if e in loose else e for e in journal)
    if max(numbers, default=0) > _HIGHEST_NUMBER:
        notes.add("a change has a number that no graph reaches: the changes are numbered anew")
        return renumbered(tied, 1)
    return tied


def _in_order(memory: Memory, notes: _Notes) -> Memory:
    """Return the memory with its times in an order that can be: said, then stored, then seen to hold and used."""
    said_at = memory.authored_at
    if said_at is not None and said_at > memory.created_at:
        notes.add("`authored_at` was after `created_at`: set to it")
        memory = replace(memory, authored_at=memory.created_at)
    begins = memory.authored_at or memory.created_at
    if memory.verified_at is not None and memory.verified_at < begins:
        notes.add("`verified_at` was before the memory began: set to that time")
        memory = replace(memory, verified_at=begins)
    if memory.last_used_at is not None and memory.last_used_at < begins:
        notes.add("`last_used_at` was before the memory began: set to that time")
        memory = replace(memory, last_used_at=begins)
    return memory


# --- pieces -----------------------------------------------------------------------------------------------------


def _made_id(graph: GraphId, memory: object, notes: _Notes) -> str:
    """Return an id that is the same at the next import of the same text."""
    notes.add("`memory_id` is missing: made from the text")
    text = memory.get("text") if isinstance(memory, dict) else None
    if not isinstance(text, str):
        raise InvalidValue("a memory without `memory_id` and `text`")
    return str(uuid.uuid5(_IDS, f"{graph}\n{fingerprint(text)}"))


def _first_time(memory: object, changes: Sequence[object]) -> datetime | None:
    """Return the earliest time that a record names, for a memory that does not say when it was made."""
    said = [memory.get(name) for name in ("authored_at", "verified_at")] if isinstance(memory, dict) else []
    said += [change.get("at") for change in changes if isinstance(change, dict)]
    times = []
    for value in said:
        try:
            times.append(msgspec.convert(value, datetime))
        except msgspec.ValidationError:
            continue
    return min((at for at in times if at.utcoffset() is not None), default=None)


def _known_parts(name: str, value: object, notes: _Notes) -> object:
    """Return a field without what its parts hold that is not known."""
    kind = _PARTS.get(name)
    if kind is None or not isinstance(value, list | dict):
        return value
    known = {field.name for field in fields(kind)}
    parts = value if isinstance(value, list) else [value]
    kept = []
    for part in parts:
        if isinstance(part, dict):
            notes.unknown({f"{name}.{inner}": None for inner in part if inner not in known}, ())
            kept.append({inner: held for inner, held in part.items() if inner in known})
        else:
            kept.append(part)
    return kept if isinstance(value, list) else kept[0]


def _keys(said: _Fields, notes: _Notes) -> tuple[str, ...]:
    given = _list(said, "keys")
    if "keys" not in said:
        notes.add("`keys` is missing: what was said once may be learned again")
    kept = {key for key in given if isinstance(key, str) and _KEY.fullmatch(key)}
    if len(kept) != len(given):
        notes.add("a natural key is none: left out")
    return tuple(sorted(kept))


def _list(said: _Fields, name: str) -> list[Any]:
    value = said.get(name) or []
    if not isinstance(value, list):
        raise InvalidValue(f"`{name}` is not a list")
    return value


def _text(said: _Fields, name: str) -> str:
    value = said.get(name)
    if not isinstance(value, str):
        raise InvalidValue(f"`{name}` is missing" if value is None else f"`{name}` is not text")
    return value


def _shown(value: object) -> str:
    return "none" if value in (None, "", ()) else str(value)


def _converted(said: _Fields, kind: type[Any]) -> Any:
    try:
        return msgspec.convert(said, kind)
    except (msgspec.ValidationError, OverflowError) as error:  # a number too large to be one with a fraction
        raise InvalidValue(str(error)) from error
