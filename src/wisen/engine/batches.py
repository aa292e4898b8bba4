"""Which batch does a person mean, and what of it can be taken back?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wisen.core.records import Actor, JournalEntry
from wisen.core.shortids import bare, is_named, is_whole, short
from wisen.core.types import GraphId, Status
from wisen.engine.twins import twin_of
from wisen.errors import Conflict, NotFound, StoreDamaged
from wisen.ports import GraphStore

# How far back a shortened id is looked for in each graph; a whole one is found however old.
MOST_ENTRIES = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What became of one change of a batch: the entry that took it back, or why it stands."""

    graph: GraphId
    entry: JournalEntry
    undo: JournalEntry | None = None
    problem: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """A batch that was taken back, step by step in that order; `undo` is the batch that did it, '' if nothing went."""

    batch: str
    undo: str
    steps: tuple[Step, ...]


def batch_meant(ref: str, near: Sequence[GraphStore]) -> str:
    """Return the whole id of the batch that a reference means.

    One that changed something in the graphs `near`; of a whole id however long ago.
    Raises NotFound for none, Conflict for several.
    """
    wanted = bare(ref)
    if is_whole(ref):
        whole = next((e.batch for store in near for e in _of_whole(store, wanted)), "")
        found = [whole] if whole else []
    else:
        entries = [entry for store in near for entry in store.journal(limit=MOST_ENTRIES)]
        found = list(dict.fromkeys(e.batch for e in entries if e.batch and is_named(e.batch, ref)))
    if not found:
        raise NotFound(f"there is no batch {ref!r} here", hint="`wisen log` shows them, each above its changes")
    if len(found) > 1:
        names = ", ".join(short(batch) for batch in found[:5])
        raise Conflict(f"{ref!r} means several batches: {names}", hint="type more digits of the one you mean")
    return found[0]


def taken_back(batch: str, stores: Sequence[GraphStore], *, actor: Actor, undo: str) -> Undone:
    """Take back every change of a batch that can be, the newest of each graph first, as one batch named `undo`.

    What was taken back already, was changed since, erased or damaged stays as it is, and says so.
    """
    steps = tuple(_step(store, entry, actor, undo) for store in stores for entry in store.batch(batch))
    return Undone(batch=batch, undo=undo if any(step.undo for step in steps) else "", steps=steps)


def undone(store: GraphStore, entry: JournalEntry, *, actor: Actor, batch: str = "") -> JournalEntry:
    """Take one change back. Raises Conflict also where the memory would then say what an active one says already."""
    was = entry.before
    if was is not None and was.status is Status.ACTIVE and not entry.undone_by:
        among = frozenset({Status.ACTIVE})
        twin = twin_of(store, was.text, but_not=was.memory_id, among=among, trigger=was.trigger)
        if twin is not None:
            raise Conflict(
                f"change {entry.seq} can't be undone: memory {twin.short_id} says the same by now and is active",
                hint=f"nothing is lost; `wisen forget {twin.short_id}` first if you want this one instead",
            )
    return store.revert(entry.seq, actor=actor, batch=batch)


def _step(store: GraphStore, entry: JournalEntry, actor: Actor, undo: str) -> Step:
    try:
        return Step(graph=store.graph, entry=entry, undo=undone(store, entry, actor=actor, batch=undo))
    except (Conflict, NotFound, StoreDamaged) as error:
        return Step(graph=store.graph, entry=entry, problem=error.message, hint=error.hint)


def _of_whole(store: GraphStore, wanted: str) -> Sequence[JournalEntry]:
    canonical = "-".join((wanted[:8], wanted[8:12], wanted[12:16], wanted[16:20], wanted[20:]))
    return store.batch(canonical) or store.batch(wanted)
