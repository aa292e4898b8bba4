"""How does a domain value become a row, and a row the value again? Every row is sealed, and checked when it is read.

A writer returns the statement's parameters; a reader takes the columns in the order of the queries and raises
StoreDamaged, naming the row, when they are not what was written.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from wisen import steps
from wisen.core.embeddings import TURN
from wisen.core.places import place_of
from wisen.core.records import Actor, Job, JournalEntry, Lookup, Receipt, RootClaim, Session
from wisen.core.types import Event, GraphId, Memory, Signal
from wisen.core.words import Phrase, index_words
from wisen.errors import StoreDamaged
from wisen.store import codec, contract
from wisen.store.sqlite.checksum import seal, verify
from wisen.store.sqlite.connection import Row, Value

Parameters = dict[str, Value]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def microseconds(at: datetime | None) -> int | None:
    """Return a time as whole microseconds since 1970, UTC."""
    return None if at is None else (at - _EPOCH) // timedelta(microseconds=1)


def moment(us: Value) -> datetime:
    """Return the time that `microseconds` stored."""
    return _EPOCH + timedelta(microseconds=whole(us))


def whole(value: Value) -> int:
    """Return a column that holds whole numbers only, as the schema's STRICT tables make sure."""
    return int(value or 0)


def real(value: Value) -> float:
    """Return a column that holds numbers only."""
    return float(value or 0)


def is_sealed(table: str, row: Row) -> bool:
    """Whether a row is what was written; some five times as fast as reading it."""
    return seal(table, *row[:-1]) == row[-1]


# --- a graph's rows ---------------------------------------------------------------------------------------------


def memory_row(memory: Memory) -> Parameters:
    """Return the columns of `memories`."""
    row: Parameters = {
        "memory_id": memory.memory_id,
        "status": memory.status.value,
        "kind": memory.kind.value,
        "source": memory.source.value if memory.source else None,
        "confidence": float(memory.confidence),
        "pinned": int(memory.pinned),
        "support": memory.support,
        "created_us": microseconds(memory.created_at),
        "snoozed_us": microseconds(memory.snoozed_until),
        "digest": memory.digest,
        "body": codec.encode_memory(memory),
    }
    return _sealed("memories", row)


def memory_of(row: Row, graph: GraphId) -> Memory:
    """Return the memory of a row of `memories`."""
    where = f"memory {row[0]} of {graph}"
    try:
        return codec.decode_memory(_body(where, "memories", row), graph, where)
    except StoreDamaged as error:
        raise StoreDamaged(error.message, hint=_without_backup(error, str(row[0]), graph)) from error


def passage_row(memory: Memory) -> Parameters:
    """Return the columns of `passages` for a memory, which is one passage: its words as the index has them.

    And what filters ask of it besides.
    """
    row: Parameters = {"memory_id": memory.memory_id, "ordinal": 0, **_words_of(memory)}
    return row | {
        "program": memory.trigger.program if memory.trigger else None,
        "place": place_of(memory),
        "session": memory.session_id if memory.category == TURN else "",
    }


def passage_stamp(memory: Memory) -> str:
    """Return what tells the words of a memory's passage from other words."""
    return stamp(_words_of(memory).values())


def stamp(words: Iterable[Value]) -> str:
    """Return what tells the words of a passage, in the order of the columns, from other words."""
    return contract.fingerprint(*map(str, words))


def _words_of(memory: Memory) -> Parameters:
    return {name: " ".join(index_words(text)) for name, text in contract.indexed_fields(memory).items()}


def entry_row(entry: JournalEntry) -> Parameters:
    """Return the columns of `journal`."""
    row: Parameters = {
        "seq": entry.seq,
        "memory_id": entry.memory_id,
        "at_us": microseconds(entry.at),
        "actor": entry.actor.value,
        "action": entry.action,
        "reason": entry.reason,
        "before": codec.encode_memory(entry.before) if entry.before else None,
        "after": codec.encode_memory(entry.after) if entry.after else None,
        "undone_by": entry.undone_by,
    }
    return row | {"batch": entry.batch, "checksum": seal("journal", *row.values(), *_if_any(entry.batch))}


def entry_of(row: Row, graph: GraphId) -> JournalEntry:
    """Return the journal entry of a row of `journal`."""
    *values, batch, checksum = row
    where = f"change {row[0]} of {graph}"
    try:
        verify(where, checksum, "journal", *values, *_if_any(batch))
    except StoreDamaged as error:
        raise StoreDamaged(error.message, hint=_without_backup(error, str(row[1]), graph)) from error
    seq, memory_id, at_us, actor, action, reason, before, after, undone_by = values
    return JournalEntry(
        seq=whole(seq),
        memory_id=str(memory_id),
        at=moment(at_us),
        actor=codec.decode(codec.encode(str(actor)), Actor, where),
        action=str(action),
        reason=str(reason),
        before=None if before is None else codec.decode_memory(str(before), graph, where),
        after=None if after is None else codec.decode_memory(str(after), graph, where),
        undone_by=whole(undone_by),
        batch=str(batch),
    )


def _without_backup(error: StoreDamaged, memory_id: str, graph: GraphId) -> str:
    """Return what helps with a damaged row of a memory, also where there is no backup."""
    return f"{error.hint}; without one: {steps.erase(memory_id, graph)} erases this memory"


# --- the control file's rows ------------------------------------------------------------------------------------


def session_row(session: Session) -> Parameters:
    """Return the columns of `sessions`."""
    row: Parameters = {
        "harness": session.harness,
        "session_id": session.session_id,
        "last_us": microseconds(session.last_event_at),
        "promoted_seq": session.promoted_seq,
        "body": codec.encode(session),
    }
    return _sealed("sessions", row)


def session_of(row: Row) -> Session:
    """Return the session of a row of `sessions`."""
    where = f"session {row[1]} of {row[0]}"
    return codec.decode(_body(where, "sessions", row), Session, where)


def event_row(event: Event, seen_at: datetime) -> Parameters:
    """Return the columns of `events`."""
    row: Parameters = {
        "harness": event.harness,
        "event_id": event.event_id,
        "session_id": event.session_id,
        "at_us": microseconds(event.at),
        "seen_us": microseconds(seen_at),
        "body": codec.encode_event(event),
    }
    return _sealed("events", row)


def event_of(row: Row) -> Event:
    """Return the event of a row of `events`."""
    where = f"event {row[1]} of {row[0]}"
    return codec.decode_event(_body(where, "events", row), where)


def signal_row(harness: str, signal: Signal) -> Parameters:
    """Return the columns of `signals`, but for the row's number."""
    row: Parameters = {
        "harness": harness,
        "session_id": signal.session_id,
        "key": contract.signal_key(harness, signal),
        "at_us": microseconds(signal.at),
        "body": codec.encode(signal),
    }
    return _sealed("signals", row)


def signal_of(row: Row) -> Signal:
    """Return the signal of a row of `signals`."""
    where = f"signal {row[2]} of session {row[1]}"
    return codec.decode(_body(where, "signals", row), Signal, where)


def lookup_row(lookup: Lookup) -> Parameters:
    """Return the columns of `lookups`, but for the number."""
    row: Parameters = {
        "graph": lookup.graph,
        "symbol": lookup.symbol,
        "harness": lookup.harness,
        "session_id": lookup.session_id,
        "event_id": lookup.event_id,
        "at_us": microseconds(lookup.at),
        "body": codec.encode(lookup),
    }
    return _sealed("lookups", row)


def lookup_of(row: Row) -> Lookup:
    """Return the lookup of a row of `lookups`."""
    where = f"a lookup of session {row[3]}"
    return codec.decode(_body(where, "lookups", row), Lookup, where)


def job_row(job: Job) -> Parameters:
    """Return the columns of `jobs`, but for the number."""
    row: Parameters = {
        "job_id": job.job_id,
        "kind": job.kind,
        "key": job.key,
        "state": job.state.value,
        "created_us": microseconds(job.created_at),
        "due_us": microseconds(job.due_at),
        "body": codec.encode(job),
    }
    return _sealed("jobs", row)


def job_of(row: Row) -> Job:
    """Return the job of a row of `jobs`."""
    where = f"job {row[0]}"
    return codec.decode(_body(where, "jobs", row), Job, where)


def receipt_row(receipt: Receipt) -> Parameters:
    """Return the columns of `receipts`, but for the number."""
    row: Parameters = {
        "receipt_id": receipt.receipt_id,
        "harness": receipt.harness,
        "session_id": receipt.session_id,
        "epoch": receipt.epoch,
        "at_us": microseconds(receipt.at),
        "graphs": codec.encode([str(graph) for graph in receipt.graphs]),
        "body": codec.encode(receipt),
    }
    return _sealed("receipts", row)


def receipt_of(row: Row) -> Receipt:
    """Return the receipt of a row of `receipts`."""
    where = f"receipt {row[0]}"
    return codec.decode(_body(where, "receipts", row), Receipt, where)


def claim_row(claim: RootClaim) -> Parameters:
    """Return the columns of `root_claims`."""
    return _sealed("root_claims", {"graph": claim.graph, "body": codec.encode(claim)})


def claim_of(row: Row) -> RootClaim:
    """Return the claim of a row of `root_claims`."""
    where = f"root claim of {row[0]}"
    return codec.decode(_body(where, "root_claims", row), RootClaim, where)


def alias_row(old: str, new: str) -> Parameters:
    """Return the columns of `aliases`."""
    return _sealed("aliases", {"old": old, "new": new})


def alias_of(row: Row) -> tuple[str, str]:
    """Return the old and the new graph id of a row of `aliases`."""
    old, new, checksum = row
    verify(f"alias {old}", checksum, "aliases", old, new)
    return str(old), str(new)


def _if_any(batch: Value) -> tuple[Value, ...]:
    """Return what a batch adds to what is sealed: nothing where there is none, as before there were batches."""
    return (batch,) if batch else ()


def _sealed(table: str, row: Parameters) -> Parameters:
    return row | {"checksum": seal(table, *row.values())}


def _body(where: str, table: str, row: Row) -> str:
    *values, checksum = row
    verify(where, checksum, table, *values)
    return str(values[-1])


def expression(phrases: Iterable[Phrase]) -> str:
    """Return the FTS5 expression for any of some phrases; their words are letters and digits only."""
    return " OR ".join(f'"{" ".join(phrase.words)}"{"*" * phrase.is_prefix}' for phrase in phrases)
