"""What wisen talks about: events, signals, candidates, memories. Frozen values, nothing else.

Times are aware UTC and come from `ports.Clock`. Ids are UUIDv7 strings and come from `ports.Ids`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from wisen.core.shortids import short

# --- identity ---------------------------------------------------------------------------------------------------


class GraphKind(StrEnum):
    """Which family of graph an id belongs to; the scheme of its URL form."""

    REPO = "repo"
    USER = "user"
    AGENT = "agent"
    ENVIRONMENT = "environment"
    VAULT = "vault"
    EXTERNAL = "external"


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphId:
    """The address of one graph. `str()` gives `repo://claude-code/github.com/owner/repo`.

    `authority` is the host of a repository (or the marker `local`, or `path` for a repository without a commit),
    or the OS login of a `user` graph; `path` is `owner/repo`, a root commit, or empty.
    Only `core.graphids` builds one; the harness segment is the adapter's word.
    """

    kind: GraphKind
    harness: str
    authority: str
    path: str = ""

    def __str__(self) -> str:
        """Return the URL form."""
        tail = f"/{self.path}" if self.path else ""
        return f"{self.kind.value}://{self.harness}/{self.authority}{tail}"


# --- events -----------------------------------------------------------------------------------------------------


class StartSource(StrEnum):
    """Why a session start fired."""

    STARTUP = "startup"
    RESUME = "resume"
    CLEAR = "clear"
    COMPACT = "compact"
    FORK = "fork"


class Outcome(StrEnum):
    """How a tool call ended. Unknown never promotes."""

    SUCCESS = "success"
    FAILURE = "failure"
    UNKNOWN = "unknown"


class PromptChannel(StrEnum):
    """How the user's words reached the agent."""

    TYPED = "typed"  # a prompt of an interactive session, also one typed while the agent works
    REFUSAL = "refusal"  # what the user typed when refusing a tool call
    HEADLESS = "headless"  # a script or an SDK wrote it


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellSegment:
    """One simple command of a shell line: `FOO=1 uv run pytest -q tests` has program `pytest`.

    What stands before the program is no part of what makes two segments equal: the names set for it (`env`, here
    `FOO`), the `wrapper` (`uv run`) and the `options` before a sub-command (`-C` of `git -C sub log`).
    `text` is the command as written, cut.
    """

    program: str
    subcommand: str = ""
    flags: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    env: tuple[str, ...] = field(default=(), compare=False)
    wrapper: tuple[str, ...] = field(default=(), compare=False)
    options: tuple[str, ...] = field(default=(), compare=False)
    text: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call the agent made. `family` is shell, read, search, edit, task or other."""

    call_id: str
    tool: str
    family: str
    command: str = ""
    segments: tuple[ShellSegment, ...] = ()
    path: str = ""
    summary: str = ""  # bounded, redacted text of the input; for task tools the task's description
    digest: str = ""  # sha256[:16] of the whole input


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStart:
    """A session began, came back, was cleared, compacted or forked.

    `last_reply_at` is when the model last answered in the history that came with it: a fork names no other origin.
    """

    source: StartSource
    last_reply_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UserPrompt:
    """The user said something. `call_id` is that of the call that is said to be refused with it."""

    text: str
    channel: PromptChannel
    prompt_id: str = ""
    call_id: str = ""

    @property
    def is_in_a_call(self) -> bool:
        """Whether it came as words in a refused call: the user's only if that call never ran."""
        return self.channel is PromptChannel.REFUSAL or self.call_id != ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreTool:
    """A tool is about to run."""

    call: ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class PostTool:
    """A tool ran. `excerpt` is a bounded head and tail of what came back."""

    call: ToolCall
    outcome: Outcome
    excerpt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreCompact:
    """The context is about to be compacted."""

    automatic: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEnd:
    """The process left the session; it may still be resumed."""

    reason: str


EventBody: TypeAlias = SessionStart | UserPrompt | PreTool | PostTool | PreCompact | SessionEnd


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing a harness told us.

    `event_id` is the natural key: the same for two deliveries of the same thing (live hook and transcript).
    `delivery_id` is the hook process's own random id. `agent_id` is set inside a subagent. `is_answerable` is False
    for what was found inside another event's delivery: an answer would not reach the model as this event's.
    `is_dated` is False where nothing says when: `at` is then when the session's file was last written.
    `branch` is what a session file says was checked out then, '' where nothing says it: git is asked.
    """

    event_id: str
    delivery_id: str
    harness: str
    session_id: str
    at: datetime
    cwd: str
    body: EventBody
    transcript: str = ""
    agent_id: str = ""
    is_answerable: bool = True
    branch: str = ""
    is_dated: bool = True

    @property
    def name(self) -> str:
        """The abstract event's name: session_start, user_prompt, pre_tool, post_tool, pre_compact, session_end."""
        return EVENT_NAMES[type(self.body)]


EVENT_NAMES: Mapping[type, str] = {
    SessionStart: "session_start",
    UserPrompt: "user_prompt",
    PreTool: "pre_tool",
    PostTool: "post_tool",
    PreCompact: "pre_compact",
    SessionEnd: "session_end",
}


# --- learning ---------------------------------------------------------------------------------------------------


class Source(StrEnum):
    """Which of the five signals a memory came from (the original's wire names)."""

    FAILURE_DELTA = "failure_delta"
    CORRECTION = "correction"
    MERGED = "merged"
    REPEATED_LOOKUP = "repeated_lookup"
    EXPLICIT = "explicit"


class Origin(StrEnum):
    """Who said it. `core.trust` says what each may become."""

    USER_TYPED = "user_typed"
    USER_APPROVED = "user_approved"
    OBSERVED_OUTCOME = "observed_outcome"
    OBSERVED_LOCATION = "observed_location"
    CURATED_FILE = "curated_file"
    ASSISTANT_INFERRED = "assistant_inferred"
    HEADLESS_PROMPT = "headless_prompt"
    TOOL_OUTPUT = "tool_output"
    PEER = "peer"


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRef:
    """Where a piece of evidence is: the event, its session and time, and the words that count (redacted)."""

    event_id: str
    session_id: str
    at: datetime
    quote: str = ""


class Tier(StrEnum):
    """How sure the gate is: one tier becomes active by itself, one waits for the person, one is only on record."""

    ADOPT = "adopt"
    SUGGEST = "suggest"
    NOTICE = "notice"  # an objection that says nothing to know later: never a candidate


class MemoryKind(StrEnum):
    """What kind of knowledge a memory is."""

    SEMANTIC = "semantic"  # a fact or rule
    PROCEDURAL = "procedural"  # steps that worked
    EPISODIC = "episodic"  # a trace; off by default


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A place in the code that makes the memory stale when it changes."""

    path: str
    symbol: str = ""
    commit: str = ""
    content_hash: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """The signature of the tool call before which a recipe surfaces; matched exactly, not by text."""

    program: str
    subcommand: str = ""
    flags: tuple[str, ...] = ()
    error_class: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """Something that may be worth remembering was noticed in one event.

    `rule` is the user's own wording, cut to the sentences that state it. `strength` is 0..1.
    `cwd`, `graph` and `branch` say where it was noticed; capture fills them in (`graph` stays None while the
    repository's identity is not known yet, and is settled from `cwd` at promotion). The rest is what a memory gets:
    of a recipe `rule` is the step that worked, `title` what it is for and `trigger` the call before which it surfaces.
    `is_dated` is that of its event.
    """

    source: Source
    origin: Origin
    session_id: str
    at: datetime
    evidence: tuple[EventRef, ...]
    strength: float
    rule: str
    personal: bool = False  # the words themselves say: everywhere, all my projects, me
    cwd: str = ""
    graph: GraphId | None = None
    branch: str = ""
    tier: Tier = Tier.ADOPT
    kind: MemoryKind = MemoryKind.SEMANTIC
    title: str = ""
    why: str = ""
    how_to_apply: str = ""
    trigger: Trigger | None = None
    anchors: tuple[Anchor, ...] = ()
    category: str = ""
    is_dated: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """A labelled piece of the window around a candidate."""

    label: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A signal that passed the gate, with its window; what a job turns into a memory."""

    graph: GraphId
    signal: Signal
    window: tuple[Excerpt, ...] = ()
    branch: str = ""

    @property
    def origin(self) -> Origin:
        """Who said it."""
        return self.signal.origin


# --- memory -----------------------------------------------------------------------------------------------------


class Status(StrEnum):
    """Where a memory stands."""

    CANDIDATE = "candidate"
    PENDING_REVIEW = "pending_review"
    ACTIVE = "active"
    SUPERSEDED = "superseded"
    FORGOTTEN = "forgotten"
    ARCHIVED = "archived"


class Visibility(StrEnum):
    """Who may see a memory. Nothing becomes public by itself."""

    REPO = "repo"
    PERSON = "person"
    PUBLIC = "public"


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One thing wisen knows, with where it came from and how it stands.

    `text` is one statement (for a procedure: the steps, one a line, under `title` as the sub-goal).
    `digest` is `core.lifecycle.fingerprint(text)`. `source` is None for records from before the gate.
    """

    memory_id: str
    graph: GraphId
    kind: MemoryKind
    text: str
    digest: str
    created_at: datetime
    category: str = ""
    title: str = ""
    why: str = ""
    how_to_apply: str = ""
    tags: tuple[str, ...] = ()
    source: Source | None = None
    origin: Origin = Origin.USER_TYPED
    evidence: tuple[EventRef, ...] = ()
    session_id: str = ""
    anchors: tuple[Anchor, ...] = ()
    branch: str = ""
    support: int = 1
    confidence: float = 0.5
    status: Status = Status.ACTIVE
    visibility: Visibility = Visibility.REPO
    pinned: bool = False
    snoozed_until: datetime | None = None
    supersedes: tuple[str, ...] = ()
    half_life_days: float | None = None
    cold: bool = False
    authored_at: datetime | None = None
    verified_at: datetime | None = None
    last_used_at: datetime | None = None
    uses: int = 0
    trigger: Trigger | None = None

    @property
    def short_id(self) -> str:
        """The last eight hex digits of the id: random ones, enough for a person to type."""
        return short(self.memory_id)
