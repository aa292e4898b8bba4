"""What the daemon answers, typed once at this edge. Unknown fields are ignored, so a newer daemon can still be read."""

from __future__ import annotations

from datetime import datetime
from typing import Final, TypeVar

import msgspec
from msgspec import Struct

from wisen.core import shortids
from wisen.errors import DaemonUnavailable

Answer = TypeVar("Answer")


class Evidence(Struct, frozen=True, kw_only=True):
    """Where a memory came from: an event, its session, the words that count."""

    event_id: str = ""
    session_id: str = ""
    at: datetime | None = None
    quote: str = ""


class Memory(Struct, frozen=True, kw_only=True):
    """A memory."""

    id: str
    short: str
    graph: str
    text: str
    kind: str = ""
    category: str = ""
    title: str = ""
    why: str = ""
    how_to_apply: str = ""
    tags: tuple[str, ...] = ()
    source: str | None = None
    origin: str = ""
    confidence: float = 0.0
    support: int = 0
    status: str = ""
    visibility: str = ""
    pinned: bool = False
    snoozed_until: datetime | None = None
    created_at: datetime | None = None
    authored_at: datetime | None = None
    verified_at: datetime | None = None
    last_used_at: datetime | None = None
    uses: int = 0
    session_id: str = ""
    branch: str = ""
    supersedes: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()


class Entry(Struct, frozen=True, kw_only=True):
    """A change of a memory."""

    seq: int
    graph: str = ""
    memory_id: str = ""
    short: str = ""
    at: datetime | None = None
    actor: str = ""
    action: str = ""
    reason: str = ""
    before_text: str | None = None
    after_text: str | None = None
    before_status: str | None = None
    after_status: str | None = None
    snoozed_until: datetime | None = None
    changed: tuple[str, ...] = ()
    undone_by: int = 0
    batch: str = ""


class Repo(Struct, frozen=True, kw_only=True):
    """Which graphs a directory writes and reads, and how sure wisen is of that."""

    standing: str = ""
    write: str | None = None
    reads: tuple[str, ...] = ()
    note: str = ""
    top: str = ""
    remotes: dict[str, str] = {}
    root: str | None = None
    branch: str | None = None
    excluded: bool = False
    paused: bool = False


class Listing(Struct, frozen=True, kw_only=True):
    """Memories of a directory; `unread` says which of its graphs can't be read."""

    memories: tuple[Memory, ...]
    repeated: tuple[Memory, ...] = ()  # of a review: active ones that were said again although they had been recalled
    repo: Repo = Repo()
    near: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


class OneMemory(Struct, frozen=True, kw_only=True):
    """A memory with its history; or with the change that was just made, no entry where nothing changed."""

    memory: Memory
    journal: tuple[Entry, ...] = ()
    new: bool = True
    entry: Entry | None = None


class Change(Struct, frozen=True, kw_only=True):
    """What a change left in the journal, no entry when it can't be undone; `still_in` names files with erased text."""

    entry: Entry | None = None
    memory_id: str = ""
    still_in: tuple[str, ...] = ()


class Done(Struct, frozen=True, kw_only=True):
    """How a memory stands after a deed; no entry where it stood like that already."""

    memory_id: str
    short: str
    graph: str = ""
    status: str = ""
    pinned: bool = False
    snoozed_until: datetime | None = None
    entry: Entry | None = None


class Deeds(Struct, frozen=True, kw_only=True):
    """What was done to several memories; '' as batch where only one changed."""

    done: tuple[Done, ...]
    batch: str = ""


class Step(Struct, frozen=True, kw_only=True):
    """One change of a batch: the entry that took it back, or why it stands."""

    entry: Entry
    undo: Entry | None = None
    problem: str = ""
    hint: str = ""


class Undone(Struct, frozen=True, kw_only=True):
    """A batch that was taken back, as the batch `undo`."""

    batch: str
    undo: str
    steps: tuple[Step, ...]


class Hit(Struct, frozen=True, kw_only=True):
    """A memory that a query found."""

    memory: Memory
    score: float = 0.0
    stages: dict[str, float] = {}
    reasons: tuple[str, ...] = ()


class Shown(Struct, frozen=True, kw_only=True):
    """A memory that was considered for a block; `reasons` why it went in, `reason` why not."""

    memory_id: str
    short: str = ""
    graph: str = ""
    text: str | None = ""
    score: float = 0.0
    chars: int = 0
    reasons: tuple[str, ...] = ()
    reason: str = ""

    @property
    def name(self) -> str:
        """The id a person types."""
        return self.short or shortids.short(self.memory_id)


class Recall(Struct, frozen=True, kw_only=True):
    """What a query finds, `more` that rank below the hits, by which model if any, and the block an agent would get."""

    block: str
    chars: int = 0
    hits: tuple[Hit, ...] = ()
    more: int = 0
    left_out: tuple[Shown, ...] = ()
    model: str = ""
    degraded: str = ""
    repo: Repo = Repo()
    near: tuple[str, ...] = ()


class CompactHit(Struct, frozen=True, kw_only=True):
    """A memory that a query found, in a line."""

    id: str
    title: str = ""
    score: float = 0.0
    snippet: str = ""
    kind: str = ""
    created_at: datetime | None = None
    authored_at: datetime | None = None


class CompactRecall(Struct, frozen=True, kw_only=True):
    """What a query finds, a line each."""

    hits: tuple[CompactHit, ...] = ()
    more: int = 0
    degraded: str = ""


class Receipt(Struct, frozen=True, kw_only=True):
    """The record of one recall."""

    at: datetime
    trigger: str
    session_id: str = ""
    epoch: int = 0
    graphs: tuple[str, ...] = ()
    query: str = ""
    shown: tuple[Shown, ...] = ()
    left_out: tuple[Shown, ...] = ()
    chars: int = 0
    degraded: str = ""
    note: str = ""


class Receipts(Struct, frozen=True, kw_only=True):
    """Recalls, newest first; `more` older ones were left out of the answer."""

    receipts: tuple[Receipt, ...]
    more: int = 0


class HeardSentence(Struct, frozen=True, kw_only=True):
    """A sentence of a prompt: whether it was taken as something to remember, and why (not)."""

    sentence: str
    at: datetime | None = None
    channel: str = ""
    emitted: bool = False
    reason: str = ""
    rule: str | None = None


class Heard(Struct, frozen=True, kw_only=True):
    """What was heard in a session; no session id when there is no such session."""

    session_id: str = ""
    started_at: datetime | None = None
    heard: tuple[HeardSentence, ...] = ()


class NotLearned(Struct, frozen=True, kw_only=True):
    """What keeps a sentence from being a new memory; `memory_id` and `text` of the one that says it already."""

    sentence: str
    reason: str
    taken: bool = False
    memory_id: str = ""
    text: str = ""
    at: datetime | None = None
    session_id: str = ""


class WhyNot(Struct, frozen=True, kw_only=True):
    """An answer for each sentence of a text."""

    answers: tuple[NotLearned, ...] = ()


class Journal(Struct, frozen=True, kw_only=True):
    """Changes, newest first."""

    entries: tuple[Entry, ...]


class GraphSize(Struct, frozen=True, kw_only=True):
    """How much one graph holds."""

    graph: str
    by_status: dict[str, int] = {}
    bytes_on_disk: int = 0


class Jobs(Struct, frozen=True, kw_only=True):
    """The work queue."""

    queued: int = 0
    running: int = 0
    failed: int = 0


class Paused(Struct, frozen=True, kw_only=True):
    """A pause that holds; an empty place is everywhere."""

    place: str = ""
    graph: str = ""
    until: datetime | None = None


class Growth(Struct, frozen=True, kw_only=True):
    """How fast the files grow."""

    bytes_a_day: float = 0.0
    days: int = 0


class Sizes(Struct, frozen=True, kw_only=True):
    """Bytes on disk, by part."""

    total: int = 0
    parts: dict[str, int] = {}
    growth: Growth | None = None


class Search(Struct, frozen=True, kw_only=True):
    """By what is searched: the model's name or '' for words alone, why, and how many memories have a vector."""

    model: str = ""
    state: str = ""
    embedded: int = 0
    waiting: int = 0


class Standing(Struct, frozen=True, kw_only=True):
    """How wisen stands as a whole."""

    version: str
    pid: int
    uptime_s: float = 0.0
    peak_rss_mb: float = 0.0
    search: Search = Search()
    data_dir: str = ""
    graphs: tuple[GraphSize, ...] = ()
    counters: dict[str, int] = {}
    counted: tuple[str, ...] = ()
    jobs: Jobs = Jobs()
    sessions: int = 0
    repo: Repo = Repo()
    waiting_review: int = 0
    problems: tuple[str, ...] = ()
    settings_refused: bool = False
    learn: bool = True
    recall: bool = True
    paused: tuple[Paused, ...] = ()
    heard: dict[str, datetime] = {}
    oldest_event_at: datetime | None = None
    retention_days: int = 0
    sizes: Sizes = Sizes()


_OTHER_VERSION: Final = "the daemon may be of another version: `wisen daemon restart`"


def read(answer: object, form: type[Answer]) -> Answer:
    """Return the daemon's answer in its type. Raises DaemonUnavailable when it has another form."""
    try:
        return msgspec.convert(answer, form)
    except msgspec.ValidationError as error:
        raise DaemonUnavailable(f"the daemon's answer can't be read: {error}", hint=_OTHER_VERSION) from error
