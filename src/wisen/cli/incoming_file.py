"""How is a file of memories read and handed to the daemon, however long and whatever is in it?

It is read line by line, and sent in batches; what the answers say is added up.
"""

from __future__ import annotations

import stat
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from msgspec import Struct

from wisen.cli.answers import read
from wisen.cli.app import App
from wisen.core.portable import LONGEST_LINE_BYTES, VERSION, Header, Tally, end_of, header_of
from wisen.errors import InvalidValue, NotFound
from wisen.ownfiles import refusal

_BATCH_LINES: Final = 500
_BATCH_BYTES: Final = 4_000_000
_MOST_PROBLEMS: Final = 1000  # that are named; all are counted
_BOM: Final = b"\xef\xbb\xbf"
LARGEST_BYTES: Final = 4_000_000_000  # a million memories take a quarter of it
_HEAD_BYTES: Final = 65_536  # that are looked at before anything else is
_PIECE_BYTES: Final = 1_000_000
_PIPED: Final = "what a command prints is taken in by `COMMAND | wisen import-data -`"
_GZIP: Final = b"\x1f\x8b"

Line = tuple[int, str]


class Problem(Struct, frozen=True, kw_only=True):
    """A line that was left out, and why."""

    line: int
    what: str


class Answer(Struct, frozen=True, kw_only=True):
    """What became of a batch."""

    fates: dict[str, int] = {}
    identities: dict[str, int] = {}
    problems: tuple[Problem, ...] = ()
    notes: dict[str, int] = {}


@dataclass(slots=True)
class Summary:
    """What became of a file: memories by fate, and graphs' identities; lines left out, what was done to others."""

    fates: Counter[str] = field(default_factory=Counter)
    identities: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)
    skipped: int = 0
    notes: Counter[str] = field(default_factory=Counter)
    about_file: list[str] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        """Whether every line can be used as it is, and the file is whole."""
        return not (self.skipped or self.notes or self.about_file)

    @property
    def adds(self) -> bool:
        """Whether anything of it is new."""
        return bool(self.fates["added"] or self.identities["added"])

    def leave_out(self, line: int, what: str) -> None:
        """Count a line that is left out, and name it unless very many are."""
        self.skipped += 1
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(Problem(line=line, what=what))

    def add(self, answer: Answer) -> None:
        """Add up the answer to a batch."""
        self.fates.update(answer.fates)
        self.identities.update(answer.identities)
        self.notes.update(answer.notes)
        for problem in answer.problems:
            self.leave_out(problem.line, problem.what)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    """To whom a file is sent, and what is to be done with it."""

    app: App
    place: Mapping[str, str]
    into: str = ""
    review: bool = False
    is_dry: bool = False
    timeout_s: float

    def send(self, lines: Sequence[Line], header: Header) -> Answer:
        """Have the daemon take lines in, or say what would become of them."""
        body: dict[str, object] = {
            **self.place,
            "lines": lines,
            "graphs": header.graphs,
            "into": self.into,
            "review": self.review,
            "dry_run": self.is_dry,
        }
        return read(self.app.post("/v1/import", body, timeout_s=self.timeout_s), Answer)


class IncomingFile:
    """A file of memories that is open for reading, more than once."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    @classmethod
    @contextmanager
    def opened(cls, name: str) -> Iterator[IncomingFile]:
        """Open a file, or what comes on standard input for '-'. Raises NotFound or Refused."""
        try:
            if name == "-":
                with tempfile.TemporaryFile() as copy:  # to be read twice
                    _copy(sys.stdin.buffer, copy)
                    yield cls(copy)
                return
            with _file(Path(name)) as file:
                yield cls(file)
        except FileNotFoundError as error:
            raise NotFound(f"there is no file {name}") from error
        except OSError as error:
            raise refusal(error, f"{name} can't be read") from error

    @property
    def size_bytes(self) -> int:
        """The length of the file."""
        return self._file.seek(0, 2)

    def send(self, sending: Sending, tell: Callable[[int], object]) -> Summary:
        """Send the whole file and return what became of it; `tell` hears how many more bytes were read."""
        summary = Summary()
        tally = Tally()
        self._file.seek(0)
        if self._file.read(len(_GZIP)) == _GZIP:
            raise InvalidValue("the file is compressed with gzip", hint="gunzip -c FILE | wisen import-data -")
        self._file.seek(0)
        numbered = self._lines(summary, tally, tell)
        header, first = _begun(numbered, summary)
        batch = list(first)
        chars = 0
        for number, line in numbered:
            batch.append((number, line))
            chars += len(line)
            if len(batch) >= _BATCH_LINES or chars >= _BATCH_BYTES:
                summary.add(sending.send(batch, header))
                batch, chars = [], 0
        if batch:
            summary.add(sending.send(batch, header))
        return summary

    def _lines(self, summary: Summary, tally: Tally, tell: Callable[[int], object]) -> Iterator[Line]:
        """Yield the lines with something in them up to the end of the export; what can't be one is counted."""
        number = 0
        said_end = False
        while raw := self._file.readline(LONGEST_LINE_BYTES):
            number += 1
            tell(len(raw))
            if len(raw) >= LONGEST_LINE_BYTES and not raw.endswith(b"\n"):
                self._skip_line(tell)
                summary.leave_out(number, f"longer than {LONGEST_LINE_BYTES:,} bytes: no memory is")
                continue
            try:
                line = raw.removeprefix(_BOM if number == 1 else b"").decode().strip()
            except UnicodeDecodeError:
                summary.leave_out(number, "not UTF-8")
                continue
            if end := end_of(line):
                said_end = True
                if end != tally.end:
                    summary.about_file.append("it was changed after it was exported: its sum is another")
                continue
            tally.add(raw, is_record=number > 1)
            if line:
                yield number, line
        if number and not said_end:
            summary.about_file.append("it has no end: it was cut, or is only a part of an export")

    def _skip_line(self, tell: Callable[[int], object]) -> None:
        while (rest := self._file.readline(1_000_000)) and not rest.endswith(b"\n"):
            tell(len(rest))


def _file(path: Path) -> IO[bytes]:
    """Open a file that can be an export. Raises InvalidValue at once for what never ends or hangs, and OSError."""
    if not stat.S_ISREG((found := path.stat()).st_mode):  # before it is opened: a pipe waits for a writer
        raise InvalidValue(f"{path} is {_kind(found.st_mode)}, and no file", hint=_PIPED)
    if found.st_size > LARGEST_BYTES:
        raise _too_large(str(path))
    file = path.open("rb")
    try:
        _verify_text(file.read(_HEAD_BYTES), str(path))
    except InvalidValue:
        file.close()
        raise
    return file


def _copy(source: IO[bytes], copy: IO[bytes]) -> None:
    """Copy what comes on standard input. Raises InvalidValue for what is no text, or does not end."""
    piece = source.read(_HEAD_BYTES)
    _verify_text(piece, "standard input")
    left = LARGEST_BYTES
    while piece:
        left -= len(piece)
        if left < 0:
            raise _too_large("standard input")
        copy.write(piece)
        piece = source.read(_PIECE_BYTES)


def _verify_text(head: bytes, what: str) -> None:
    if b"\0" in head and not head.startswith(_GZIP):  # which is told of by its name
        raise InvalidValue(f"{what} is no text: it has zero bytes", hint="`wisen export` writes what can be taken in")


def _too_large(what: str) -> InvalidValue:
    return InvalidValue(
        f"{what} is larger than {LARGEST_BYTES:,} bytes, as no export is",
        hint="an export can be cut between lines, and each part be taken in: `split -l 100000 FILE`",
    )


def _kind(mode: int) -> str:
    kinds = ((stat.S_ISDIR, "a directory"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))
    return next((said for is_kind, said in kinds if is_kind(mode)), "a device")


def _begun(numbered: Iterator[Line], summary: Summary) -> tuple[Header, list[Line]]:
    """Return the header of a file, and its first line where it is a record already. Raises InvalidValue."""
    first = next(numbered, None)
    if first is None:
        summary.about_file.append("there is nothing in it")
        return Header(), []
    header = header_of(first[1])
    if header is None:
        summary.about_file.append("it has no first line that names its version: it is only a part of an export")
        return Header(), [first]
    if header.version > VERSION:
        summary.about_file.append(
            f"a newer wisen wrote it (version {header.version} of the format, this one knows {VERSION})"
        )
    return header, []
