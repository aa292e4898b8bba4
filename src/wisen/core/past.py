"""What is known of a session that lies on disk, and what became of it when it was read? Frozen values, nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from wisen.core.types import Memory

TITLE_CHARS: Final = 200


class Said(StrEnum):
    """How a prompt in a session file came, and how that is known."""

    TYPED = "typed"  # marked: typed, or typed while the agent worked
    HEADLESS = "headless"  # marked: a script or an SDK
    IN_CONVERSATION = "conversation"  # no mark, and there are two prompts or more: a person's
    ALONE = "alone"  # no mark, and there is no other: taken for a script's
    BY_SYSTEM = "system"  # the harness's own words: never the user's


@dataclass(frozen=True, slots=True, kw_only=True)
class PastSession:
    """A session file, by a look at its two ends. Times are UTC, None where no line has one; `size` is in bytes.

    `cwd` is where the session began, '' for a file that says nothing of it: there is no session in it.
    """

    path: str
    session_id: str
    size: int
    project: str = ""  # the name of the folder it lies in
    cwd: str = ""
    title: str = ""
    first_at: datetime | None = None
    last_at: datetime | None = None


class Fate(StrEnum):
    """What became of a session file."""

    READ = "read"
    KNOWN = "known"  # read to its end before
    EMPTY = "empty"  # nobody said or did anything in it
    GONE = "gone"  # its directory is gone, and nothing tells which repository that was
    STAYED_OUT = "stayed_out"  # an excluded place, a pause, or from before the memories were deleted
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What came of one session. Counts are of this reading; `copies` are events that are known from another session.

    `stood_in` says what a directory that is gone was taken for, '' where none was; `waits`: git has not answered yet,
    and its signals are promoted when it has.
    """

    fate: Fate
    why: str = ""
    events: int = 0
    copies: int = 0
    signals: int = 0
    lines_skipped: int = 0
    split: Mapping[Said, int] = field(default_factory=dict)
    added: tuple[Memory, ...] = ()
    reinforced: tuple[Memory, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)
    stood_in: str = ""
    waits: bool = False


def in_order(sessions: Sequence[PastSession]) -> tuple[PastSession, ...]:
    """Return sessions oldest first; a fork, which begins with the same lines, after what it was copied from."""

    def age(session: PastSession) -> tuple[float, float, str]:
        return _seconds(session.first_at), _seconds(session.last_at), session.path

    return tuple(sorted(sessions, key=age))


def _seconds(at: datetime | None) -> float:
    return at.timestamp() if at else 0.0


def of_project(sessions: Sequence[PastSession], directory: str) -> tuple[PastSession, ...]:
    """Return the sessions that began in a directory or below it."""
    top = directory.rstrip("/")
    return tuple(session for session in sessions if session.cwd == top or session.cwd.startswith(f"{top}/"))


def since(sessions: Sequence[PastSession], moment: datetime) -> tuple[PastSession, ...]:
    """Return the sessions that were going on at a moment, or began after it."""
    return tuple(session for session in sessions if session.last_at is not None and session.last_at >= moment)


def neighbours(session: PastSession, sessions: Sequence[PastSession]) -> tuple[str, ...]:
    """Return where the other sessions of the same project began, the most frequent first."""
    cwds = [other.cwd for other in sessions if other.project == session.project and other.cwd]
    return tuple(sorted(set(cwds) - {session.cwd}, key=lambda cwd: (-cwds.count(cwd), cwd)))
