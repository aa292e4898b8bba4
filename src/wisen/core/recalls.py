"""What recall talks about: a request with its filter and budget, hits, what was left out, the block. Frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from wisen.core.types import GraphId, Memory, MemoryKind, ShellSegment, Source, Status


class RecallTrigger(StrEnum):
    """At which moment recall happens."""

    SESSION_START = "session-start"
    USER_PROMPT = "user-prompt"
    SUB_TASK = "sub-task"
    PRE_TOOL = "pre-tool"  # a recipe, before the command it is about
    TOOL_FAMILY = "tool-family"  # the user's own map of commands to queries
    MANUAL = "manual"


class By(StrEnum):
    """By what memories are found."""

    BOTH = "both"
    WORDS = "words"
    MEANING = "meaning"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFilter:
    """Which memories may be candidates at all; applied while they are collected, never after ranking.

    `sources` None means any source and none; a set never admits a memory without a source.
    `exclude` maps ids already shown in this session to the digest they had: a changed memory may come again.
    """

    statuses: frozenset[Status] = frozenset({Status.ACTIVE})
    min_confidence: float = 0.0
    sources: frozenset[Source] | None = None
    kinds: frozenset[MemoryKind] | None = None
    exclude: Mapping[str, str] = field(default_factory=dict)
    awake_at: datetime | None = None  # leave out what is snoozed past this moment
    programs: frozenset[str] | None = None  # only recipes that surface before one of these
    with_recipes: bool = True  # else without all that surfaces before a command of its own
    with_places: bool = True  # else without the places of names
    names: frozenset[str] | None = None  # only the places of these names


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Hard limits of a block, in characters, wrapper included."""

    max_chars: int
    max_memory_chars: int
    max_items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """What to recall: the moment, the graphs in reading order, the words, the filter and the budget.

    Before a command the segments of that command stand in for words. `names` are those in code that it is about: their
    places are recalled with what is asked for.
    """

    trigger: RecallTrigger
    graphs: tuple[GraphId, ...]
    query: str
    filter: MemoryFilter
    budget: Budget
    segments: tuple[ShellSegment, ...] = ()
    names: tuple[str, ...] = ()
    by: By = By.BOTH


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A memory found, with its per-stage scores (higher is better), the terms that occur and the reasons in words."""

    memory: Memory
    score: float
    stages: Mapping[str, float] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    matched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search returns: the best hits, best first, and how many there are with those beyond the limit."""

    hits: tuple[Hit, ...] = ()
    total: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A memory that was considered and not shown, and why, in words."""

    memory_id: str
    graph: GraphId
    reason: str
    score: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """What retrieval returns: hits, best first, what was filtered or ranked out, and how it was degraded.

    `more` is how many memories would have been hits but rank below them; they are in neither list.
    """

    hits: tuple[Hit, ...]
    left_out: tuple[LeftOut, ...] = ()
    degraded: str = ""
    more: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallBlock:
    """The fenced text for the model, what is in it and what is not. `chars` is len(text)."""

    text: str
    shown: tuple[Hit, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def chars(self) -> int:
        """Length of the text in characters, wrapper included."""
        return len(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What something cost. Exposed characters and internal tokens are never added up."""

    phase: str
    exposed_chars: int = 0
    internal_in: int = 0
    internal_out: int = 0
    model: str = ""
