"""What may a power cut leave on a disk? A log of what was asked of it, and the images which that log allows.

A file's bytes are safe once its own sync has returned; a name is safe once its directory was synced. Of everything
else each write, each sector of a write, each change of size and each change of a name is there or not, on its own.
That is less than any file system in use promises, so what holds here holds there.
"""

from __future__ import annotations

import random
import sys
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Final, TypeAlias, TypeVar, assert_never

SECTOR_BYTES: Final = 512
DIRECTORY: Final = 0  # the "file" that the name of a directory leads to


@dataclass(frozen=True, slots=True)
class Wrote:
    """Bytes of a file."""

    file: int
    at: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Resized:
    """A file's new size."""

    file: int
    size: int


@dataclass(frozen=True, slots=True)
class Synced:
    """A sync that returned; it covers what was written before position `since` of the log, where it began."""

    file: int
    since: int


@dataclass(frozen=True, slots=True)
class SyncFailed:
    """A sync that reported an error: some of it was written, the rest the system forgets, and no later sync tells."""

    file: int


@dataclass(frozen=True, slots=True)
class Named:
    """A name that was given: a new file, a link, a directory."""

    path: str
    file: int


@dataclass(frozen=True, slots=True)
class Unnamed:
    """A name that was taken away."""

    path: str


@dataclass(frozen=True, slots=True)
class Renamed:
    """A file under its new name."""

    old: str
    new: str
    file: int


@dataclass(frozen=True, slots=True)
class DirectorySynced:
    """A sync of a directory that returned; as `Synced`."""

    path: str
    since: int


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """Somebody was told that this is done: from here on it must be there."""

    what: str
    at: float = 0.0  # seconds


T = TypeVar("T")
Bytes: TypeAlias = Wrote | Resized
Name: TypeAlias = Named | Unnamed | Renamed
Op: TypeAlias = Bytes | Name | Synced | SyncFailed | DirectorySynced | Acknowledged


@dataclass(slots=True)
class Disk:
    """A disk while a log is played to it."""

    names: dict[str, int] = field(default_factory=dict)  # those that are safe
    contents: dict[int, bytearray] = field(default_factory=lambda: defaultdict(bytearray))
    unsafe: dict[int, list[tuple[int, Bytes]]] = field(default_factory=lambda: defaultdict(list))
    unsafe_names: dict[str, list[tuple[int, Name]]] = field(default_factory=lambda: defaultdict(list))
    acknowledged: list[Acknowledged] = field(default_factory=list)
    position: int = 0

    def play(self, op: Op) -> None:
        """Take the next operation of the log."""
        match op:
            case Wrote() | Resized():
                self.unsafe[op.file].append((self.position, op))
            case Named(path=path) | Unnamed(path=path) | Renamed(new=path):
                self.unsafe_names[_parent(path)].append((self.position, op))
            case Synced(file=file, since=since):
                for change in _taken(self.unsafe[file], since):
                    _apply(self.contents[file], change)
            case SyncFailed(file=file):
                for change in _kept(_taken(self.unsafe[file], sys.maxsize), "some", random.Random(self.position)):
                    _apply(self.contents[file], change)
            case DirectorySynced(path=path, since=since):
                for name in _taken(self.unsafe_names[path], since):
                    _rename(self.names, name)
            case Acknowledged():
                self.acknowledged.append(op)
            case _:
                assert_never(op)
        self.position += 1

    def image(self, chance: random.Random) -> dict[str, bytes]:
        """Return path -> bytes as they may be found after a power cut at this moment."""
        fate = chance.choice(("nothing", "everything", "the first", "some", "some", "torn"))
        names = dict(self.names)
        for waiting in self.unsafe_names.values():
            for name in _kept([name for _, name in waiting], fate, chance):
                _rename(names, name)
        found: dict[str, bytes] = {}
        for path, file in names.items():
            if file != DIRECTORY and self._can_be_reached(path, names):
                content = bytearray(self.contents[file])
                for change in _kept([change for _, change in self.unsafe[file]], fate, chance):
                    _apply(content, change, chance if fate == "torn" else None)
                found[path] = bytes(content)
        return found

    def _can_be_reached(self, path: str, names: Mapping[str, int]) -> bool:
        """Whether every directory above is there that was made while the log was written."""
        waiting = [name for names in self.unsafe_names.values() for _, name in names]
        made = {one.path for one in waiting if isinstance(one, Named) and one.file == DIRECTORY}
        made |= {one.new for one in waiting if isinstance(one, Renamed) and one.file == DIRECTORY}
        return all(str(above) in names or str(above) not in made for above in Path(path).parents)


def written_below(root: Path, image: Mapping[str, bytes], *, instead_of: Path) -> None:
    """Write an image under `root`: what was below `instead_of` is now there."""
    for path, content in image.items():
        target = root / Path(path).relative_to(instead_of)
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        target.write_bytes(content)
        target.chmod(0o600)


def _parent(path: str) -> str:
    return str(Path(path).parent)


def _taken(waiting: list[tuple[int, T]], since: int) -> list[T]:
    """Take out and return the changes before a position of the log."""
    taken = [change for at, change in waiting if at < since]
    waiting[:] = [(at, change) for at, change in waiting if at >= since]
    return taken


def _kept(changes: list[T], fate: str, chance: random.Random) -> list[T]:
    match fate:
        case "nothing":
            return []
        case "everything" | "torn":
            return changes
        case "the first":
            return changes[: chance.randint(0, len(changes))]
        case _:
            return [change for change in changes if chance.random() < 0.5]


def _apply(content: bytearray, change: Bytes, tearing: random.Random | None = None) -> None:
    match change:
        case Wrote(at=at, data=data):
            for start, part in _sectors(at, data) if tearing else [(at, data)]:
                if tearing is None or tearing.random() < 0.5:
                    content.extend(bytes(max(0, start - len(content))))
                    content[start : start + len(part)] = part
        case Resized(size=size):
            if tearing is None or tearing.random() < 0.5:
                del content[size:]
                content.extend(bytes(max(0, size - len(content))))
        case _:
            assert_never(change)


def _sectors(at: int, data: bytes) -> list[tuple[int, bytes]]:
    """Return a write in the pieces that a disk writes whole."""
    edges = [at, *range(at - at % SECTOR_BYTES + SECTOR_BYTES, at + len(data), SECTOR_BYTES), at + len(data)]
    return [(start, data[start - at : stop - at]) for start, stop in pairwise(edges)]


def _rename(names: dict[str, int], change: Name) -> None:
    match change:
        case Named(path=path, file=file):
            names[path] = file
        case Unnamed(path=path):
            names.pop(path, None)
        case Renamed(old=old, new=new, file=file):
            names.pop(old, None)
            names[new] = file
            for path in [path for path in names if file == DIRECTORY and path.startswith(f"{old}/")]:
                names[new + path.removeprefix(old)] = names.pop(path)
        case _:
            assert_never(change)
