"""The world outside the stores: the clock, randomness, git, redaction, the harness's own files."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from wisen.core.records import (
    ReadMark,
    RepoFacts,
)
from wisen.core.types import Event

if TYPE_CHECKING:  # the daemon imports this before it listens, and needs the names only
    from wisen.core.guide import Statement
    from wisen.core.past import Said


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


class WorkTree(Protocol):
    """Looks whether a file is there."""

    def holds(self, top: str, path: str) -> bool | None:
        """Tell whether a work tree holds a file, by its path below the top; None where there is no work tree.

        What lies outside of it, by dots or links, it does not hold.
        """
        ...


class Guides(Protocol):
    """Reads the guides for agents that people keep in a work tree: CLAUDE.md, AGENTS.md."""

    def statements(self, top: str) -> Sequence[Statement]:
        """Return what the guides below a work tree's top state, within a bounded size; none without a guide."""
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


class PastReading(TranscriptReading, Protocol):
    """A reading of a session file that no hook ever told of."""

    @property
    def split(self) -> Mapping[Said, int]:
        """How many prompts beyond the mark came in which way."""
        ...


class PastReader(Protocol):
    """Reads a session file that no hook ever told of."""

    def __call__(
        self,
        path: str,
        mark: ReadMark,
        /,
        *,
        assume_interactive: bool | None,
        known: Container[str],
        redact: Callable[[str], str],
    ) -> PastReading:
        """Return its events; see `TranscriptReader`.

        With `assume_interactive` None, prompts without a mark count as typed where the file has two or more of them.
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
