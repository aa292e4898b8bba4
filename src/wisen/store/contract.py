"""What do all stores agree on: which values may be held, what a filter admits, what an undo gives back?

Pure functions, used by the SQLite store and by the in-memory fake alike, so that neither can drift.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256

from wisen.core import keeping, places
from wisen.core.lifecycle import with_usage_of
from wisen.core.portable import MemoryRecord
from wisen.core.recalls import Hit, MemoryFilter
from wisen.core.records import LONGEST_WAIT, Job, JobState, JournalEntry
from wisen.core.types import EventRef, GraphId, Memory, Signal, Status, Trigger
from wisen.core.words import Phrase, phrases_of
from wisen.errors import Conflict, InvalidValue, Refused, StoreDamaged, StoreError
from wisen.store.codec import decode_memory, encode_memory

MOST = keeping.MOST
storable = keeping.storable
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Work that waits is bounded: what a session said waits in the store, and the sweep queues another job for it.
MOST_QUEUED = 10_000
PUT_OFF = "jobs_put_off"  # the counter of jobs that found the queue full
KEPT_LOOKUPS = 5_000  # of a graph
ASKED_LOOKUPS = 50  # of a name
KEPT_SESSIONS = 10_000  # the newest, whatever is pruned: without its row a session's transcript would be read again


def checked(memory: Memory, graph: GraphId) -> Memory:
    """Return the memory as `graph`'s store will hold it.

    Raises Refused for a memory of another graph, InvalidValue for a field that holds something it may not hold.
    """
    if memory.graph != graph:
        raise Refused(f"memory {memory.memory_id} belongs to {memory.graph}, not to {graph}")
    memory = keeping.keepable(memory)
    try:
        return decode_memory(encode_memory(memory), graph, f"memory {memory.memory_id}")
    except StoreDamaged as error:  # not damaged: never written, because it could not be read back
        raise InvalidValue(error.message) from error


def checked_record(record: MemoryRecord, graph: GraphId) -> MemoryRecord:
    """Return a memory with its journal as `graph`'s store will hold it.

    Raises what `checked` raises, and InvalidValue for changes whose numbers can't be theirs.
    """
    numbers = [entry.seq for entry in record.journal]
    for number in (*numbers, *(entry.undone_by or 1 for entry in record.journal)):
        if not 0 < number <= MOST:
            raise InvalidValue(f"a change of memory {record.memory_id} has the number {number}, not within 1..{MOST}")
    if len(set(numbers)) < len(numbers):
        raise InvalidValue(f"two changes of memory {record.memory_id} have one number")
    memory = checked(record.memory, graph) if record.memory is not None else None
    return replace(record, memory=memory, journal=storable(record.journal))


def next_number(last: int) -> int:
    """Return the number of the change after `last`. Raises StoreError when there is none: no store gave `last`."""
    if last >= MOST:
        raise StoreError(
            f"no change can be kept: the last one has the number {last}, beyond any that wisen gives",
            hint="`wisen restore-backup latest` brings back an earlier state",
        )
    return last + 1


def admits(where: MemoryFilter, memory: Memory) -> bool:
    """Whether a filter lets a memory be a candidate."""
    return (
        memory.status in where.statuses
        and memory.confidence >= where.min_confidence
        and (where.sources is None or memory.source in where.sources)
        and (where.kinds is None or memory.kind in where.kinds)
        and where.exclude.get(memory.memory_id) != memory.digest
        and not (where.awake_at and memory.snoozed_until and memory.snoozed_until > where.awake_at)
        and (where.programs is None or (memory.trigger is not None and memory.trigger.program in where.programs))
        and (where.with_recipes or memory.trigger is None)
        and (where.with_places or not places.is_place(memory))
        and (where.names is None or (places.is_place(memory) and places.place_of(memory) in where.names))
    )


def list_order(memory: Memory) -> tuple[bool, int, float, float, str]:
    """Return the sort key of a list: pinned first, then support, confidence, newest."""
    return (not memory.pinned, -memory.support, -memory.confidence, -memory.created_at.timestamp(), memory.memory_id)


def undone(entry: JournalEntry, held: Memory | None) -> Memory:
    """Return the value the memory gets when `entry` is taken back; an addition is taken back by forgetting.

    Raises Conflict when that can't be done without losing something.
    """
    if entry.undone_by:
        raise Conflict(
            f"change {entry.seq} was undone by change {entry.undone_by} already",
            hint=f"undo change {entry.undone_by} if you want it after all",
        )
    if entry.after is not None and held is None:
        raise Conflict(
            f"change {entry.seq} can't be undone: the memory is lost, though nobody erased it",
            hint="`wisen doctor` says what helps",
        )
    if entry.after is None or held is None:
        raise Conflict(
            f"change {entry.seq} can't be undone: the memory was purged, its text is gone",
            hint="`wisen remember TEXT` says it anew",
        )
    if with_usage_of(entry.after, held) != held:
        raise Conflict(
            f"change {entry.seq} can't be undone: memory {held.short_id} changed since",
            hint="undo the later change first; `wisen log` lists them",
        )
    before = entry.before or replace(entry.after, status=Status.FORGOTTEN)
    return with_usage_of(before, held)


def indexed_fields(memory: Memory) -> Mapping[str, str]:
    """Return the fields of a memory that are searched, by name."""
    return {
        "title": memory.title,
        "text": memory.text,
        "why": memory.why,
        "how_to_apply": memory.how_to_apply,
        "tags": " ".join(memory.tags),
    }


def search_terms(
    terms: Iterable[str], spellings: Mapping[str, Sequence[str]] | None = None
) -> Mapping[str, tuple[Phrase, ...]]:
    """Return the distinct terms that can occur in an index, each with its phrases; of two spellings the first.

    A term with `spellings` is found by those index words instead.
    """
    distinct: dict[tuple[Phrase, ...], str] = {}
    for term in terms:
        if spelt := (spellings or {}).get(term):
            # as beginnings: a word of the index is a stem, and would be stemmed once more
            distinct.setdefault(tuple(Phrase((word,), is_prefix=True) for word in spelt), term)
        elif phrases := phrases_of(storable(term)):
            distinct.setdefault(phrases, term)
    return {term: phrases for phrases, term in distinct.items()}


def hit(memory: Memory, score: float, matched: Sequence[str], of: int) -> Hit:
    """Return what a search found: how well a memory matches, and which of `of` terms occur in it."""
    stages = {"bm25": score, "coverage": len(matched) / of}
    return Hit(memory=memory, score=score, stages=stages, matched=tuple(matched))


def fingerprint(*parts: str) -> str:
    """Return 32 hex digits for a natural key, so that a key made of words survives a purge without telling them."""
    return sha256("\x1f".join(storable(parts)).encode()).hexdigest()[:32]


def said_keys(said: Iterable[EventRef], trigger: Trigger | None) -> tuple[str, ...]:
    """Return the natural keys that pieces of evidence leave, by which what was learned from them is known again."""
    call = (trigger.program, trigger.subcommand, *sorted(trigger.flags)) if trigger else ()
    return tuple(fingerprint("said", ref.session_id, ref.event_id, ref.quote, *call) for ref in said)


def fresh_keys(memory: Memory, held: Memory | None) -> tuple[str, ...]:
    """Return the natural keys of the evidence that a memory did not have before."""
    known = held.evidence if held else ()
    return said_keys((ref for ref in memory.evidence if ref not in known), memory.trigger)


def signal_key(harness: str, signal: Signal) -> str:
    """Return what makes two signals the same: session, source, first evidence event and rule."""
    event_id = signal.evidence[0].event_id if signal.evidence else ""
    return fingerprint(harness, signal.session_id, signal.source, event_id, signal.rule)


def place_of(at: datetime, number: int) -> tuple[int, int]:
    """Return where an event stands among the others of its session: by its time, then by the order they came in."""
    return (at - _EPOCH) // timedelta(microseconds=1), number


def as_mark(place: tuple[int, int]) -> str:
    """Return a place as a store hands it out."""
    return f"{place[0]}:{place[1]}"


def marked(after: str) -> tuple[int, int] | None:
    """Return the place that `as_mark` wrote down; None for ''. Raises InvalidValue for anything else."""
    if not after:
        return None
    try:
        at_us, number = after.split(":")
        return int(at_us), int(number)
    except ValueError as error:
        raise InvalidValue(f"{after!r} is no place in a session's events") from error


def finished(job: Job, *, error: str, retry_at: datetime | None) -> Job:
    """Return a job after an attempt: done, failed with an error, or queued again for `retry_at`."""
    if retry_at is not None:
        return replace(job, state=JobState.QUEUED, error=storable(error), due_at=storable(retry_at))
    return replace(job, state=JobState.FAILED if error else JobState.DONE, error=storable(error))


def is_due(job: Job, now: datetime) -> bool:
    """Whether a queued job is to be run: when its time has come, or lies where only a clock that ran ahead put it."""
    return job.due_at <= now or job.due_at > now + LONGEST_WAIT


def pulled_forward(job: Job, at: datetime) -> Job:
    """Return a waiting job, due at `at` if a clock that ran ahead has put it off; a running one is as it is."""
    is_far = job.state is JobState.QUEUED and job.due_at > at + LONGEST_WAIT
    return replace(job, due_at=at) if is_far else job
