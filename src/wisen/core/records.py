"""What the stores keep beside memories: sessions, jobs, receipts, journal entries. Frozen values, nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from wisen.core.recalls import LeftOut, RecallTrigger
from wisen.core.types import GraphId, Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One conversation as wisen sees it; (harness, session_id) is its key.

    `epoch` counts compactions: what was injected in an earlier epoch is gone from the model's context.
    `start_delivered`: the session-start block (or the knowledge that there is none) has reached this epoch.
    `promoted_seq`: signals up to this sequence number have been handed to a job.
    `transcript_offset`, `_size` and `_before` are the `ReadMark` of the harness's own session file.
    """

    harness: str
    session_id: str
    started_at: datetime
    last_event_at: datetime
    cwd: str = ""
    transcript: str = ""
    graph: GraphId | None = None
    interactive: bool | None = None
    epoch: int = 0
    start_delivered: bool = False
    ended_at: datetime | None = None
    end_reason: str = ""
    promoted_seq: int = 0
    transcript_offset: int = 0
    transcript_size: int = 0
    transcript_before: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadMark:
    """How far a session file was read: where to go on, in bytes, and what shows that it is still the same file.

    `size` is how large it was then; `before` is a digest of the bytes right before `offset`, '' where there are none.
    """

    offset: int = 0
    size: int = 0
    before: str = ""


class JobState(StrEnum):
    """Where a durable job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


# No job is put off for longer: one that is due later was queued by a clock that ran ahead, and counts as due.
LONGEST_WAIT = timedelta(minutes=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Work that survives a restart. `key` is natural: queueing the same key twice while it waits is one job."""

    job_id: str
    kind: str
    key: str
    payload: Mapping[str, str]
    state: JobState
    created_at: datetime
    due_at: datetime
    attempts: int = 0
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownItem:
    """A memory that went into a block, with the digest its text had then."""

    memory_id: str
    graph: GraphId
    digest: str
    score: float
    chars: int
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The record of one recall: what went in, what was considered and left out, why. Holds ids, never texts."""

    receipt_id: str
    harness: str
    session_id: str
    epoch: int
    at: datetime
    trigger: RecallTrigger
    event_id: str
    graphs: tuple[GraphId, ...]
    query: str
    shown: tuple[ShownItem, ...]
    left_out: tuple[LeftOut, ...]
    chars: int
    more: int = 0  # memories that ranked lower still, and are not listed
    degraded: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """A name that a session looked for and found; one session counts once for a name. `path` is below the top."""

    graph: str
    symbol: str
    path: str
    harness: str
    session_id: str
    event_id: str
    at: datetime
    is_definition: bool = False


class Actor(StrEnum):
    """Who changed a memory."""

    USER = "user"
    AGENT = "agent"
    GATE = "gate"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One change of one memory. `before` is None for an addition, `after` is None after a purge.

    `undone_by` is the seq of the entry that took this one back, 0 while it stands. `batch` names the one act (a
    promotion, a sweep, a command about many memories) that this change was part of; '' when it was an act of its own.
    """

    seq: int
    memory_id: str
    at: datetime
    actor: Actor
    action: str  # add, support, edit, status, pin, unpin, snooze, wake, revert, purge
    reason: str
    before: Memory | None
    after: Memory | None
    undone_by: int = 0
    batch: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RootClaim:
    """The root commit that a remote's graph belongs to: the first one seen, or the one the user trusted.

    A shallow or empty clone seen first shows no root: `root` is '' until a full clone proves to be the same repository.
    `place` (a digest of the git directory) and `witnesses` (commits it had checked out) are what it can prove that by.
    """

    graph: str
    root: str
    first_seen: datetime
    trusted: tuple[str, ...] = ()
    witnesses: tuple[str, ...] = ()
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphStats:
    """Sizes of one graph: memories by status, bytes on disk, journal length."""

    graph: GraphId
    by_status: Mapping[str, int] = field(default_factory=dict)
    bytes_on_disk: int = 0
    journal_entries: int = 0


GONE: Final = "no such directory"  # what `RepoFacts.detail` says of one that is not there (any more)


@dataclass(frozen=True, slots=True, kw_only=True)
class RepoFacts:
    """What git says about a directory; read by `gitrepo`, judged by `core.graphids`.

    `remotes` maps remote names to their raw URLs as written in the config (before any insteadOf); like the paths they
    may hold bytes that are no UTF-8, as surrogate escapes. `branch` and `detail` are for people and never do.
    `root_commits` are all parentless ancestors of HEAD, oldest first; empty when unknown (shallow, no commit).
    `problem` is '' or one of: no-repo, no-git, timeout, unsafe (safe.directory), not-a-project (HOME, /, /tmp).
    """

    cwd: str
    top: str = ""
    common_dir: str = ""
    remotes: Mapping[str, str] = field(default_factory=dict)
    root_commits: tuple[str, ...] = ()
    has_commit: bool = False
    shallow: bool = False
    bare: bool = False
    branch: str = ""
    head: str = ""
    problem: str = ""
    detail: str = ""

    @property
    def is_gone(self) -> bool:
        """Whether there is no such directory, and nothing is known of one that was there."""
        return self.problem == "no-repo" and self.detail == GONE


class Standing(StrEnum):
    """How sure we are that a directory is the repository it claims to be."""

    VERIFIED = "verified"  # the root commit is the graph's
    UNVERIFIED = "unverified"  # shallow or empty clone: by remote alone
    LOCAL = "local"  # no remote: by root commit or path
    FOREIGN = "foreign"  # claims a remote that is known by another history: a graph of its own
    PENDING = "pending"  # a full clone whose history is not known yet: inject nothing, write nothing yet
    NONE = "none"  # no project here


@dataclass(frozen=True, slots=True, kw_only=True)
class RepoIdentity:
    """Which graph a directory writes to and which it reads, in reading order (own, upstream, user)."""

    standing: Standing
    write: GraphId | None = None
    reads: tuple[GraphId, ...] = ()
    note: str = ""
    claim: RootClaim | None = None  # a root claim to record: the first sight of a graph, or more known of it
    alias_of: GraphId | None = None  # an earlier id of the same repository (path id before the first commit)
