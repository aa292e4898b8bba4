"""What did real processes ask of the disk, and what did they tell others meanwhile? Read from strace.

Every name, byte and sync below one directory becomes an operation of the same log that `disk.py` plays. What a process
writes to a socket or to its standard output becomes an acknowledgement, in its place among the writes: so a promise is
held against the disk's state at the moment it was made.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Final

from tests.durability.disk import (
    DIRECTORY,
    Acknowledged,
    DirectorySynced,
    Disk,
    Named,
    Op,
    Renamed,
    Resized,
    Synced,
    Unnamed,
    Wrote,
)

CALLS: Final = (
    "open,openat,creat,write,pwrite64,writev,pwritev,pwritev2,ftruncate,truncate,fallocate,fsync,fdatasync,"
    "rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,rmdir,sendto,sendmsg"
)
_LINE = re.compile(r"(\d+) +(\d+\.\d+) (?:<\.\.\. (\w+) resumed>)?(.*)")
_CALL = re.compile(r"(\w+)\((.*)\) += (-?\d+)")
_UNFINISHED: Final = " <unfinished ...>"
_ENDPOINTS: Final = ("socket:", "pipe:")


def why_not() -> str:
    """Return why no process can be traced here, "" when it can."""
    if shutil.which("strace") is None:
        return "there is no strace"
    tried = subprocess.run(["strace", "-y", "-o", os.devnull, "true"], capture_output=True, check=False)
    return "" if tried.returncode == 0 else f"strace does not work: {tried.stderr.decode(errors='replace').strip()}"


def traced(argv: Sequence[str], log: Path) -> list[str]:
    """Return the command that runs another and logs what it and its children ask of the disk."""
    return [
        "strace",
        "-f",
        "--seccomp-bpf",
        "-y",
        "-ttt",
        "-xx",
        "-s",
        "10000000",
        "-e",
        f"trace={CALLS}",
        "-o",
        str(log),
        *argv,
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Called:
    """One system call that returned."""

    name: str
    arguments: tuple[str, ...]
    result: int
    began: int  # line of the trace
    at: float  # seconds since the epoch


@dataclass(slots=True)
class Trace:
    """Reads a trace into a log, for the files below `root`. `heard` turns what was told into what it promises."""

    root: str
    heard: Callable[[bytes], str]
    log: list[Op] = field(default_factory=list)
    _files: dict[str, int] = field(default_factory=dict)
    _sizes: dict[int, int] = field(default_factory=dict)
    _began: dict[int, int] = field(default_factory=dict)  # line of the trace -> length of the log then
    _next: Iterator[int] = field(default_factory=lambda: count(1))

    def begins_with(self, root: Path) -> Disk:
        """Return a disk on which what is below a directory is safe; call it before the processes run."""
        disk = Disk()
        for path in sorted(root.rglob("*")):
            is_file = path.is_file() and not path.is_symlink()
            disk.names[str(path)] = self._files[str(path)] = next(self._next) if is_file else DIRECTORY
            if is_file:
                disk.contents[self._files[str(path)]] = bytearray(path.read_bytes())
                self._sizes[self._files[str(path)]] = path.stat().st_size
        return disk

    def read(self, trace: Path) -> list[Op]:
        """Return the log. Calls that failed, and those of files elsewhere, are not in it."""
        waiting: dict[str, tuple[int, str]] = {}
        with trace.open() as lines:
            for number, line in enumerate(lines):
                found = _LINE.match(line)
                if found is None:
                    continue
                task, at, resumed, rest = found.groups()
                rest = rest.rstrip()
                self._began[number] = len(self.log)
                began = number
                if resumed and task in waiting:
                    began, first = waiting.pop(task)
                    rest = first + rest
                if rest.endswith(_UNFINISHED):
                    waiting[task] = (number, rest.removesuffix(_UNFINISHED))
                elif (called := _CALL.match(rest)) and int(called[3]) >= 0:
                    arguments = tuple(part.strip() for part in called[2].split(", "))
                    self._take(
                        _Called(name=called[1], arguments=arguments, result=int(called[3]), began=began, at=float(at))
                    )
        return self.log

    def _take(self, called: _Called) -> None:
        match called.name:
            case "open" | "openat" | "creat":
                self._opened(called)
            case "write" | "pwrite64" | "writev" | "pwritev" | "pwritev2" | "sendto" | "sendmsg":
                self._wrote(called)
            case "ftruncate" | "truncate":
                self._resized(_path(called.arguments[0]), int(called.arguments[1]))
            case "fallocate":
                raise AssertionError("nobody was known to allocate space ahead")
            case "fsync" | "fdatasync":
                self._synced(called)
            case _:
                self._named(called)

    def _opened(self, called: _Called) -> None:
        path, flags = _last_path(called.arguments), " ".join(called.arguments)
        if not self._is_ours(path):
            return
        if "O_CREAT" in flags and path not in self._files:
            self._files[path] = next(self._next)
            self.log.append(Named(path, self._files[path]))
        if "O_TRUNC" in flags:
            self._resized(path, 0)

    def _wrote(self, called: _Called) -> None:
        path, data = _path(called.arguments[0]), _data(called.arguments[1])[: called.result]
        if path.startswith(_ENDPOINTS):
            if promise := self.heard(data):
                self.log.append(Acknowledged(promise, called.at))
        elif self._is_ours(path) and path in self._files:
            file = self._files[path]
            # A plain write goes to the end: those of wisen are to new files, or append.
            at = int(called.arguments[3]) if called.name == "pwrite64" else self._sizes.get(file, 0)
            self._sizes[file] = max(self._sizes.get(file, 0), at + len(data))
            self.log.append(Wrote(file, at, data))

    def _resized(self, path: str, size: int) -> None:
        if path in self._files:
            self._sizes[self._files[path]] = size
            self.log.append(Resized(self._files[path], size))

    def _synced(self, called: _Called) -> None:
        path, since = _path(called.arguments[0]), self._began[called.began]
        if path == self.root or self._files.get(path) == DIRECTORY:
            self.log.append(DirectorySynced(path, since))
        elif path in self._files:
            self.log.append(Synced(self._files[path], since))

    def _named(self, called: _Called) -> None:
        paths = [path for path in _paths(called.arguments) if self._is_ours(path)]
        match called.name, paths:
            case (("rename" | "renameat" | "renameat2"), [old, new]):
                self._files[new] = self._files.pop(old)
                self.log.append(Renamed(old, new, self._files[new]))
                for path in [path for path in self._files if path.startswith(f"{old}/")]:
                    self._files[new + path.removeprefix(old)] = self._files.pop(path)
            case (("link" | "linkat"), [old, new]):
                self._files[new] = self._files[old]
                self.log.append(Named(new, self._files[new]))
            case (("unlink" | "unlinkat" | "rmdir"), [path]):
                self._files.pop(path, None)
                self.log.append(Unnamed(path))
            case (("mkdir" | "mkdirat"), [path]):
                self._files[path] = DIRECTORY
                self.log.append(Named(path, DIRECTORY))
            case _:
                assert not paths, called

    def _is_ours(self, path: str) -> bool:
        return path.startswith(self.root + "/")


def _path(argument: str) -> str:
    """Return the path that an argument `5</a/b>` or `"/a/b"` names."""
    return os.fsdecode(_bytes(argument))


def _paths(arguments: Sequence[str]) -> Sequence[str]:
    """Return the paths that a call names, each joined to the directory that stands before it."""
    found, directory = [], ""
    for argument in arguments:
        if argument.startswith('"'):
            found.append(os.path.join(directory, _path(argument)))  # noqa: PTH118 - texts, as in the log
        directory = _path(argument) if "<" in argument else ""
    return found


def _last_path(arguments: Sequence[str]) -> str:
    return next(iter(_paths(arguments)), "")


def _data(argument: str) -> bytes:
    return _bytes(argument)


def _bytes(argument: str) -> bytes:
    return bytes.fromhex("".join(re.findall(r"\\x([0-9a-f]{2})", argument)))
