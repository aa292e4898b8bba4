"""Session files that hold what a test says, read as the engine reads a harness's own."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from wisen.core.records import ReadMark
from wisen.core.types import Event


@dataclass
class FakeReading:
    """One reading; an offset counts events."""

    events: list[Event]
    mark: ReadMark
    known: Container[str]
    skipped: int = 0

    def __iter__(self) -> Iterator[Event]:
        yield from [event for event in self.events[self.mark.offset :] if event.event_id not in self.known]
        self.mark = ReadMark(offset=len(self.events), size=len(self.events), before="x")


@dataclass
class FakeTranscripts:
    """Session files by path. One with `poison` in its path can't be digested."""

    files: dict[str, list[Event]] = field(default_factory=dict)
    shown: dict[str, frozenset[str]] = field(default_factory=dict)
    skipped: int = 0  # lines of every file that are no use
    asked: list[tuple[str, int, bool]] = field(default_factory=list)

    def read(
        self,
        path: str,
        mark: ReadMark,
        /,
        *,
        assume_interactive: bool,
        known: Container[str],
        redact: Callable[[str], str],
    ) -> FakeReading:
        self.asked.append((path, mark.offset, assume_interactive))
        if "poison" in path:
            raise ValueError("what the user said: remember that we deploy with make ship")
        return _Missing(path) if path not in self.files else self._reading(path, mark, known)

    def _reading(self, path: str, mark: ReadMark, known: Container[str]) -> FakeReading:
        skipped = 0 if mark.offset else self.skipped
        return FakeReading(self.files[path], replace(mark), known, skipped)

    def size(self, path: str, /) -> int | None:
        return len(self.files[path]) if path in self.files else None

    def history(self, path: str, last_reply_at: datetime | None = None, /) -> frozenset[str]:
        return self.shown.get(path, frozenset())


class _Missing(FakeReading):
    """A file that is not there."""

    def __init__(self, path: str) -> None:
        super().__init__([], ReadMark(), ())
        self.path = path

    def __iter__(self) -> Iterator[Event]:
        raise FileNotFoundError(self.path)
