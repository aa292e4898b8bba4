"""What a person does to how a memory stands, once it is found: the value it gets, or why that can't be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, TypeAlias, assert_never

from wisen.core.lifecycle import fingerprint
from wisen.core.plain import status_in_words
from wisen.core.recalls import MemoryFilter
from wisen.core.records import JournalEntry
from wisen.core.trust import standing_for
from wisen.core.types import Memory, Origin, Status
from wisen.engine.limits import LONGEST_SNOOZE
from wisen.engine.twins import twin_of
from wisen.errors import Conflict, InvalidValue
from wisen.ports import GraphStore

_PUT_AWAY: Final = frozenset({Status.FORGOTTEN, Status.SUPERSEDED, Status.ARCHIVED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget:
    """Put it away; undoable."""

    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """Recall it before all others, or (False) as any other."""

    pinned: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Snooze:
    """Recall it not before `until`; None wakes it."""

    until: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Restore:
    """Bring back what was forgotten, superseded, archived or rejected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accept:
    """Make active what waits, in other words if `text` (checked already) is given."""

    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reject:
    """Put away what waits."""


Deed: TypeAlias = Forget | Pin | Snooze | Restore | Accept | Reject


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A memory as it stands after a deed, and the change in the journal; None where it stood like that already."""

    memory: Memory
    entry: JournalEntry | None


def checked(deed: Deed, now: datetime) -> Deed:
    """Return the deed if it can be meant at `now`. Raises InvalidValue for a snooze into the past or out of reach."""
    until = deed.until if isinstance(deed, Snooze) else None
    if until is not None and until <= now:
        raise InvalidValue(
            f"{until.isoformat(timespec='minutes')} is past", hint="name a time to come: --for 7d, --until 2030-01-31"
        )
    if until is not None and until - now > LONGEST_SNOOZE:
        raise InvalidValue(
            f"{until.isoformat(timespec='minutes')} is more than ten years away",
            hint="`wisen forget` puts a memory away until you restore it",
        )
    return deed


def after(deed: Deed, memory: Memory, store: GraphStore, now: datetime) -> Memory:
    """Return the memory as it stands after a deed. Raises Conflict when its state does not allow it."""
    match deed:
        case Forget():
            return _forgotten(memory)
        case Pin(pinned=pinned):
            return replace(living(memory), pinned=pinned)
        case Snooze(until=until):
            return _snoozed(memory, until)
        case Restore():
            return _restored(memory, store, now)
        case Accept(text=text):
            return _accepted(memory, store, text, now)
        case Reject():
            return replace(_waiting(memory), status=Status.FORGOTTEN)
        case _:
            assert_never(deed)


def record_of(deed: Deed, actor: str) -> tuple[str, str]:
    """Return (action, reason) under which the journal keeps a deed."""
    match deed:
        case Forget(reason=reason):
            return "status", reason or f"forgotten by the {actor}"
        case Pin(pinned=pinned):
            return ("pin", "pinned") if pinned else ("unpin", "not pinned any more")
        case Snooze(until=until):
            return (
                ("snooze", f"until {until.isoformat(timespec='minutes')}") if until else ("wake", "snoozed no longer")
            )
        case Restore():
            return "status", f"restored by the {actor}"
        case Accept():
            return "status", "accepted in review"
        case Reject():
            return "status", "rejected in review"
        case _:
            assert_never(deed)


def living(memory: Memory) -> Memory:
    """Return the memory if it may be changed. Raises Conflict for one that was put away."""
    if memory.status in _PUT_AWAY:
        raise Conflict(
            f"memory {memory.short_id} {_stands(memory)}",
            hint=f"`wisen restore {memory.short_id}` brings it back first",
        )
    return memory


def refuse_twin(store: GraphStore, memory: Memory, text: str) -> None:
    """Raise Conflict where another memory says the same already: two of one kind would both be recalled."""
    among = frozenset({Status.ACTIVE})
    twin = twin_of(store, text, but_not=memory.memory_id, among=among, trigger=memory.trigger)
    if twin is not None:
        raise Conflict(
            f"memory {twin.short_id} says the same already", hint=f"`wisen forget {memory.short_id}` drops this one"
        )


def _forgotten(memory: Memory) -> Memory:
    if memory.status is Status.FORGOTTEN:
        raise Conflict(
            f"memory {memory.short_id} is forgotten already", hint="`wisen forget --purge` erases its text for good"
        )
    return replace(memory, status=Status.FORGOTTEN)


def _snoozed(memory: Memory, until: datetime | None) -> Memory:
    if until is not None and memory.status is not Status.ACTIVE:
        raise Conflict(
            f"memory {memory.short_id} {_stands(memory)}, so it is not recalled anyway",
            hint="`wisen review` decides on what waits, `wisen restore` brings back what was put away",
        )
    return replace(memory, snoozed_until=until)


def _restored(memory: Memory, store: GraphStore, now: datetime) -> Memory:
    """Return the memory with the standing that its origin earns: what never was the user's word waits for it again."""
    if memory.status is Status.ACTIVE:
        return memory
    if memory.status not in _PUT_AWAY:
        raise Conflict(
            f"memory {memory.short_id} was not put away, it waits for review",
            hint=f"`wisen review accept {memory.short_id}` makes it active",
        )
    among = frozenset({Status.ACTIVE})
    rival = twin_of(store, memory.text, but_not=memory.memory_id, among=among, trigger=memory.trigger)
    if rival is not None:
        raise Conflict(
            f"memory {memory.short_id} can't come back: {rival.short_id} says the same and is active",
            hint=f"nothing is lost; `wisen forget {rival.short_id}` first if you want this one instead",
        )
    heir = _heir_of(memory, store)
    if heir is not None:
        raise Conflict(
            f"memory {memory.short_id} can't come back: {heir.short_id} replaced it and is active",
            hint=f"`wisen forget {heir.short_id}` first if you want this one instead",
        )
    standing = standing_for(memory.origin, learn_headless=False) or Status.PENDING_REVIEW
    return replace(memory, status=standing, verified_at=now if standing is Status.ACTIVE else memory.verified_at)


def _heir_of(memory: Memory, store: GraphStore) -> Memory | None:
    """Return the active memory that replaced one."""
    if memory.status is not Status.SUPERSEDED:
        return None
    everything = MemoryFilter()
    heirs = store.list(everything, limit=max(store.count(everything), 1))
    return next((m for m in heirs if memory.memory_id in m.supersedes), None)


def _stands(memory: Memory) -> str:
    word = status_in_words(memory.status.value)
    return word if memory.status is Status.PENDING_REVIEW else f"is {word}"


def _waiting(memory: Memory) -> Memory:
    if memory.status is not Status.PENDING_REVIEW:
        raise Conflict(
            f"memory {memory.short_id} {_stands(memory)}, and waits for no review",
            hint="`wisen review` lists what waits",
        )
    return memory


def _accepted(memory: Memory, store: GraphStore, text: str | None, now: datetime) -> Memory:
    _waiting(memory)
    said = memory.text if text is None else text
    refuse_twin(store, memory, said)
    accepted = replace(memory, status=Status.ACTIVE, origin=Origin.USER_APPROVED, verified_at=now)
    return accepted if text is None else replace(accepted, text=text, digest=fingerprint(text))
