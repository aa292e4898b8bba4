"""What the engine needs from the world: stores, git, redaction, clock, ids. All synchronous.

Implementations: `store.sqlite` and `store.memory` (held to one contract suite), `gitrepo`, `redact`, `compose`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from wisen.core.findings import Finding
from wisen.core.portable import MemoryRecord
from wisen.core.recalls import Found, MemoryFilter
from wisen.core.records import (
    Actor,
    GraphStats,
    Job,
    JournalEntry,
    ReadMark,
    Receipt,
    RepoFacts,
    RootClaim,
    Session,
)
from wisen.core.types import Event, EventRef, GraphId, Memory, Signal


class Clock(Protocol):
    """The only source of time."""

    def now(self) -> datetime:
        """Return the present moment, aware, in UTC."""
        ...


class Ids(Protocol):
    """The only source of randomness."""

    def new_id(self) -> str:
        """Return a new UUIDv7 string."""
        ...

    def nonce(self) -> str:
        """Return 8 random characters of [a-z0-9], for the fence of a recall block."""
        ...


class Redactor(Protocol):
    """Takes secrets and private spans out of text before it is stored, logged or sent."""

    def redact(self, text: str) -> str:
        """Return text with typed placeholders for secrets and `<private>` spans. Idempotent."""
        ...

    def problems(self) -> tuple[str, ...]:
        """Return what keeps it from its best, in words for `status`."""
        ...


class RepoProbe(Protocol):
    """Reads what git knows about a directory; the only caller of git."""

    def facts(self, cwd: str) -> RepoFacts:
        """Return what git says, within a bounded time; never raises for a repository's state."""
        ...

    def contains(self, cwd: str, commit: str) -> bool | None:
        """Tell whether HEAD or a local branch at `cwd` is `commit` or descends from it; None while that is not known.

        A commit that was only fetched does not count. Within a bounded time, like `facts`.
        """
        ...


class TranscriptReading(Protocol):
    """Events of a session file, read while they are iterated over; the attributes are true at the end."""

    @property
    def mark(self) -> ReadMark:
        """How far the file has been read."""
        ...

    @property
    def skipped(self) -> int:
        """How many lines beyond the mark that was given could not be used."""
        ...

    def __iter__(self) -> Iterator[Event]:
        """Yield the events; those of tools in file order, then what the user said. Raises OSError."""
        ...


class TranscriptReader(Protocol):
    """Reads a harness's own session file, however large, in bounded memory."""

    def __call__(
        self,
        path: str,
        mark: ReadMark,
        /,
        *,
        assume_interactive: bool,
        known: Container[str],
        redact: Callable[[str], str],
    ) -> TranscriptReading:
        """Return the events beyond `mark`, from the start where the file is another one than it was.

        Events whose natural key is in `known` are left out, at little cost. Every text goes through `redact`. Prompts
        without a mark of how they came count as typed where `assume_interactive` says so.
        """
        ...


class TranscriptSize(Protocol):
    """Tells how large a harness's own session file is."""

    def __call__(self, path: str, /) -> int | None:
        """Return its size in bytes; None for a file that is not there or can't be read."""
        ...


class HistoryReader(Protocol):
    """Reads which memories a session's living context already shows."""

    def __call__(self, path: str, last_reply_at: datetime | None = None, /) -> frozenset[str]:
        """Return their short ids; none for a file that can't be read.

        `last_reply_at` tells which history a fork copied before its own file is written.
        """
        ...


class ControlStore(Protocol):
    """The control file: sessions, events, signals, jobs, receipts, root claims, counters.

    Writes are visible to every later read of the same store at once and durable within 50 ms;
    `flush` returns when everything written so far is on disk.
    A row that is damaged is as if it were not there: it is set aside, and `problems` tells. Only a damaged root claim
    stays claimed, by nobody, so that no other clone can take its graph over.
    """

    # events and sessions
    def record(self, event: Event, *, seen_at: datetime, signals: Sequence[Signal] = ()) -> bool:
        """Keep an event and what was noticed in it, both or neither, whatever stops the process.

        False, and nothing is kept, when its natural key (harness, event_id) is known already.
        """
        ...

    def events(self, harness: str, session_id: str, *, limit: int = 500) -> Sequence[Event]:
        """Return the newest `limit` events of a session, oldest first."""
        ...

    def oldest_event_at(self) -> datetime | None:
        """Return when the oldest event that is still kept happened, None when none is kept."""
        ...

    def session(self, harness: str, session_id: str) -> Session | None:
        """Return a session, or None."""
        ...

    def sessions(self, *, limit: int = 100) -> Sequence[Session]:
        """Return sessions, last active first."""
        ...

    def save_session(self, session: Session) -> None:
        """Insert or replace a session; its `promoted_seq` never goes back, whatever the given value says."""
        ...

    def advance_promoted(self, harness: str, session_id: str, seq: int) -> None:
        """Set a session's `promoted_seq` and nothing else, if `seq` is larger; an unknown session stays unknown."""
        ...

    def last_activity(self, until: datetime) -> datetime | None:
        """Return when a session was last active, of all that were last active by `until`; None when there are none."""
        ...

    def session_count(self) -> int:
        """Return how many sessions there are."""
        ...

    def sessions_with_signals(
        self, before: datetime, *, now: datetime | None = None, limit: int = 200
    ) -> Sequence[Session]:
        """Return sessions last active before `before` with signals that no job was given, longest silent first.

        Those last active after `now` are silent too: the clock was ahead when they were.
        """
        ...

    def prune(self, at: datetime) -> int:
        """Delete what is older than `at` and needed no more; return how many rows.

        Events, handed-over signals and receipts of sessions that were last active before `at` and have no signals
        left to hand over, and finished jobs. The newest 10,000 sessions stay: they say what was read and promoted.
        """
        ...

    def erase(self, texts: Sequence[str], refs: Sequence[EventRef]) -> int:
        """Erase texts for good, down to the bytes of the file; return how many rows changed.

        Blanks the words of the events that `refs` name and of every event and receipt that holds one of the texts,
        whatever its case and spacing; deletes their signals, but for those that wait to be promoted and hold none.
        Keys stay, so nothing is learned a second time. Raises StoreError when old bytes could not be overwritten yet:
        it may be repeated.
        """
        ...

    # signals
    def add_signals(self, harness: str, signals: Sequence[Signal]) -> None:
        """Append signals; the same (session, source, evidence event, rule) is kept once."""
        ...

    def signals_after(self, harness: str, session_id: str, seq: int) -> Sequence[tuple[int, Signal]]:
        """Return (sequence number, signal) of a session beyond `seq`, in order."""
        ...

    # jobs
    def enqueue(self, job: Job) -> bool:
        """Queue a job, durable on return. False when a queued or running job has the same (kind, key).

        False too when 10,000 wait; the counter `jobs_put_off` tells. What was to be done waits in the store as well.

        One that waits for longer than LONGEST_WAIT beyond this one's time is due at this one's time then.
        """
        ...

    def claim_job(self, now: datetime) -> Job | None:
        """Take the oldest due queued job and mark it running, or None. One due after LONGEST_WAIT counts as due."""
        ...

    def finish_job(self, job_id: str, *, error: str = "", retry_at: datetime | None = None) -> None:
        """Mark a job done; or failed with an error; or queued again for `retry_at`."""
        ...

    def requeue_running(self) -> int:
        """At start: put jobs that a dead daemon left running back into the queue; return how many."""
        ...

    def jobs(self, *, limit: int = 50) -> Sequence[Job]:
        """Return jobs, newest first."""
        ...

    def job_counts(self) -> Mapping[str, int]:
        """Return the number of jobs by state value; a state without jobs is not there."""
        ...

    def next_job_due(self) -> datetime | None:
        """Return when the next queued job is due, or None when none waits."""
        ...

    # receipts
    def add_receipt(self, receipt: Receipt) -> None:
        """Keep a receipt."""
        ...

    def receipts(
        self, *, harness: str = "", session_id: str = "", graph: GraphId | None = None, limit: int = 20
    ) -> Sequence[Receipt]:
        """Return receipts, newest first: of one session, of one graph, or of all."""
        ...

    def injected(self, harness: str, session_id: str, epoch: int) -> Mapping[str, str]:
        """Return memory id -> digest of all that was shown in this session since its last compaction."""
        ...

    # identity
    def root_claim(self, graph: GraphId) -> RootClaim | None:
        """Return the root commit a remote's graph belongs to, if one was seen."""
        ...

    def save_root_claim(self, claim: RootClaim) -> None:
        """Insert or replace a root claim."""
        ...

    def aliases(self) -> Mapping[str, str]:
        """Return graph id -> graph id it is now known by."""
        ...

    def save_alias(self, old: GraphId, new: GraphId) -> None:
        """Record that `old` is now known as `new`."""
        ...

    # the rest
    def count(self, name: str, by: int = 1) -> None:
        """Add to a counter (lost events, bad payloads ...)."""
        ...

    def counters(self) -> Mapping[str, int]:
        """Return all counters."""
        ...

    def problems(self) -> Sequence[str]:
        """Return a sentence for each row that was damaged and each file that was set aside, naming it."""
        ...

    def check(self) -> Sequence[Finding]:
        """Go through the whole file and return what is wrong with it. Takes as long as reading it."""
        ...

    def flush(self) -> None:
        """Return when everything written so far is on disk."""
        ...

    def close(self) -> None:
        """Flush and let go of the file."""
        ...


class GraphStore(Protocol):
    """One graph: memories, their journal and the lexical index over them. Every write is durable on return.

    A row that is damaged stays where it is and is in no list, count or search; `problems` tells.
    """

    @property
    def graph(self) -> GraphId:
        """The graph this store holds."""
        ...

    def add(self, memory: Memory, *, key: str, actor: Actor, reason: str, batch: str = "") -> tuple[Memory, bool]:
        """Add a memory under a natural key; return (the memory held under that key, whether it is new).

        Adding twice under one key changes nothing, whatever happened to the memory since; one that is gone or damaged
        comes back as given, marked forgotten. `batch` names the act this change is part of, so that it can be undone
        as a whole; the same holds for `update` and `revert`.
        """
        ...

    def get(self, memory_id: str) -> Memory | None:
        """Return a memory by its id, or None. Raises StoreDamaged when its row is damaged."""
        ...

    def by_prefix(self, short: str) -> Sequence[Memory]:
        """Return the memories whose id or short id starts with `short` (dashes ignored), at most 10.

        Raises StoreDamaged when there are only damaged ones.
        """
        ...

    def ids_by_prefix(self, short: str) -> Sequence[str]:
        """Return at most 10 ids that `short` may mean, reading no memory: of those there are, damaged ones among them.

        If there are none, the ids of which only a journal entry or a natural key is left.
        """
        ...

    def by_digest(self, digest: str) -> Sequence[Memory]:
        """Return the memories (any status) with this fingerprint."""
        ...

    def update(
        self, memory: Memory, *, actor: Actor, action: str, reason: str, key: str = "", batch: str = ""
    ) -> tuple[Memory, bool]:
        """Replace a memory, journalled with its old value. With `key`, the same update happens once.

        Returns (the memory as held now, whether this call changed it). Raises NotFound for an unknown id.
        """
        ...

    def list(self, where: MemoryFilter, *, limit: int = 1000) -> Sequence[Memory]:
        """Return memories that pass the filter: pinned first, then support, confidence, newest."""
        ...

    def search(
        self,
        terms: Sequence[str],
        where: MemoryFilter,
        *,
        limit: int = 50,
        weights: Mapping[str, float] | None = None,
        least: float = 0.0,
    ) -> Found:
        """Return memories matching any term, best BM25 first; stages hold `bm25` (higher better) and `coverage`.

        `coverage` is the share of the terms that occur, `matched` names them. A memory in which terms of less than
        `least` weight occur together is no match; a term without a weight has 1. The filter is applied inside the
        query, before the limit.
        """
        ...

    def occurrences(self, terms: Sequence[str]) -> tuple[int, Mapping[str, int]]:
        """Return how many memories there are, of any status, and in how many of them each term occurs."""
        ...

    def count(self, where: MemoryFilter) -> int:
        """Return how many memories pass the filter."""
        ...

    def counts(self) -> Mapping[str, int]:
        """Return the number of memories by status value."""
        ...

    def journal(self, *, memory_id: str = "", batch: str = "", limit: int = 50) -> Sequence[JournalEntry]:
        """Return journal entries, newest first: of one memory, of one batch, or of all."""
        ...

    def batch(self, batch_id: str) -> Sequence[JournalEntry]:
        """Return every entry of one batch, newest first, which is the order to undo them in; none for ''."""
        ...

    def revert(self, seq: int, *, actor: Actor, batch: str = "") -> JournalEntry:
        """Undo one entry: the memory gets its value from before; itself journalled, as part of `batch` if given.

        Raises NotFound for an unknown entry, Conflict when the memory changed since or the entry was undone or purged.
        """
        ...

    def touch(self, memory_ids: Iterable[str], at: datetime) -> None:
        """Count a use of each memory; not journalled, not a verification."""
        ...

    def purge(self, memory_id: str) -> None:
        """Erase a memory's text from rows, journal and index; an entry without content stays in the journal.

        Needs to read nothing: a damaged memory goes as well. It may be repeated, to finish what a reader held up.
        """
        ...

    def problems(self) -> Sequence[str]:
        """Return a sentence for each damaged row, naming file, table and row. Raises StoreDamaged for the whole."""
        ...

    def record_count(self) -> int:
        """Return of how many memories there is something: themselves, a journal entry or a natural key."""
        ...

    def records(self, *, after: str = "", limit: int = 500) -> tuple[Sequence[MemoryRecord], str]:
        """Return memories with their journal and natural keys, by id, and where to go on: '' at the end.

        Those beyond the id `after`, at most `limit` and fewer when they are long. What is damaged is left out.
        """
        ...

    def known(self, memory_ids: Iterable[str]) -> frozenset[str]:
        """Return those of some ids of which there is something."""
        ...

    def take_in(self, records: Sequence[MemoryRecord]) -> int:
        """Add memories as they are, all or none of them; return how many.

        Of one that is known only natural keys are new. Changes whose numbers are taken get the next ones.
        """
        ...

    def stats(self) -> GraphStats:
        """Return sizes."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


class GraphStores(Protocol):
    """All graphs of a user."""

    def open(self, graph: GraphId) -> GraphStore:
        """Return the graph's store, made when it is not there yet; the same object for the same graph."""
        ...

    def existing(self, graph: GraphId) -> GraphStore | None:
        """Return the graph's store only if the graph exists; reading never creates one. Raises StoreDamaged."""
        ...

    def graphs(self) -> Sequence[GraphId]:
        """Return the graphs that exist, sorted by their URL form."""
        ...

    def problems(self) -> Sequence[str]:
        """Return a sentence for each file that is out of use or was set aside, and for each damaged row of others."""
        ...

    def check(self) -> Sequence[Finding]:
        """Go through all files and return what is wrong: pages, checksums, duplicates, orphans, the index, counts."""
        ...

    def move(self, old: GraphId, new: GraphId) -> None:
        """Give a graph another id (a path id at its first commit). No effect when `old` does not exist."""
        ...

    def remove(self, graph: GraphId) -> bool:
        """Delete a graph with its memories, journal and index; False when there is none. It can't be undone."""
        ...

    def close(self) -> None:
        """Close every open graph, each even if another fails."""
        ...
