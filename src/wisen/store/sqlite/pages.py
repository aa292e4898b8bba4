"""What is on the pages of a database file, whatever SQLite thinks of the file?

Reads the file format (https://www.sqlite.org/fileformat2.html) and nothing but it: every page is looked at for itself,
so what lies on a readable page is found though the pages that lead there are lost. Nothing here raises for what it
reads; what makes no sense is left out. Whether a record is what was written is for the checksum of its row to say.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from wisen.store.sqlite.cells import (
    HEADER_BYTES,
    INNER_INDEX,
    INNER_TABLE,
    LEAF_TABLE,
    Tree,
    big,
    local_bytes,
    tree_on,
    varint,
)
from wisen.store.sqlite.wal import read_log

Stored: TypeAlias = int | float | str | bytes | None

_MAGIC: Final = b"SQLite format 3\0"
_PAGE_BYTES: Final = 4096  # where the header doesn't tell
_LEAST_PAGE_BYTES: Final = 512
_SIZES: Final = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)  # bytes of a value by its serial type, below those of texts and blobs
_INTEGERS: Final = range(1, 7)
_RESERVED: Final = (10, 11)
_ATTEMPTS: Final = 10


@dataclass(frozen=True, slots=True)
class Record:
    """One entry of a b-tree. `rowid` is 0 in an index, and in a table without rowids, which is one."""

    is_table: bool
    rowid: int
    values: tuple[Stored, ...]


class Image:
    """The pages of a database as the last commit left them: the file with what its write-ahead log holds.

    Of a damaged log that is all that it ever held, in `older` as well as in `records`.
    """

    def __init__(self, file: bytes, log: bytes = b"") -> None:
        self._file = file
        self._bytes = _page_bytes(file)
        reserved = big(file, 20, 1) if file.startswith(_MAGIC) else 0
        self._usable = self._bytes - (reserved if reserved < self._bytes // 4 else 0)
        read = read_log(log, self._bytes)
        self._log, self._older = read.pages, read.older
        self.pages = max(-(-len(file) // self._bytes), *self._log, 0)

    def records(self) -> Iterator[Record]:
        """Return every record that can be read, page by page, the newest first that a damaged log may have changed."""
        for number in (*self._older, *(number for number in range(1, self.pages + 1) if number not in self._older)):
            yield from self._records_on(number)

    def older(self) -> Iterator[Record]:
        """Return what was on each page whose newest content may be damaged, the newest first."""
        for number, contents in self._older.items():
            for content in reversed(contents):
                yield from self._records_on(number, self._in_file(number) if content is None else content)

    def tree(self, root: int) -> Iterator[Record]:
        """Return the records that can be reached from a root page."""
        waiting, seen = [root], set[int]()
        while waiting:
            number = waiting.pop()
            if number not in seen:
                seen.add(number)
                yield from self._records_on(number)
                waiting += self._children(number)

    def _page(self, number: int) -> bytes:
        held = self._log.get(number)
        return self._in_file(number) if held is None else held

    def _in_file(self, number: int) -> bytes:
        return self._file[(number - 1) * self._bytes : number * self._bytes]

    def _tree_on(self, number: int, content: bytes | None = None) -> tuple[bytes, Tree | None]:
        page = self._page(number) if content is None else content
        return page, tree_on(page, number) if len(page) >= self._bytes else None

    def _children(self, number: int) -> Sequence[int]:
        page, tree = self._tree_on(number)
        if tree is None or tree.kind not in {INNER_INDEX, INNER_TABLE}:
            return ()
        return [*(big(page, at, 4) for at in tree.cells), big(page, tree.start + 8, 4)]

    def _records_on(self, number: int, content: bytes | None = None) -> Iterator[Record]:
        page, tree = self._tree_on(number, content)
        if tree is not None and tree.kind != INNER_TABLE:
            for at in tree.cells:
                try:
                    yield self._record(page, at + 4 * (tree.kind == INNER_INDEX), is_table=tree.kind == LEAF_TABLE)
                except (IndexError, ValueError, struct.error):
                    continue  # no record: the next one may be

    def _record(self, page: bytes, at: int, *, is_table: bool) -> Record:
        size, at = varint(page, at)
        rowid, at = varint(page, at) if is_table else (0, at)
        payload = self._payload(page, at, size, is_table=is_table)
        return Record(is_table, rowid, tuple(_values(payload)))

    def _payload(self, page: bytes, at: int, size: int, *, is_table: bool) -> bytes:
        local = local_bytes(size, self._usable, is_table=is_table)
        if local == size:
            return page[at : at + size]
        if size > self.pages * self._bytes:
            raise ValueError("the record is larger than the file")
        parts, left, following = [page[at : at + local]], size - local, big(page, at + local, 4)
        while left > 0:  # each page takes some away, so a chain that bites its tail ends too
            overflow = self._page(following)
            if following < 1 or len(overflow) < self._bytes:
                raise ValueError("the rest of the record is not there")
            parts.append(overflow[4 : 4 + min(left, self._usable - 4)])
            left -= self._usable - 4
            following = big(overflow, 0, 4)
        return b"".join(parts)


def image_of(path: Path, log: Path) -> Image:
    """Return the pages of a file and its write-ahead log, which need not exist, as of one moment. Raises OSError.

    Whoever writes meanwhile writes to the log first: while it is as it was, what moved from it into the file is in
    both. Should it never stay so long, what was read last must do.
    """
    file, logged = b"", _content(log)
    for _ in range(_ATTEMPTS):
        file, before, logged = path.read_bytes(), logged, _content(log)
        if logged == before:
            break
    return Image(file, logged)


def log_damage(path: Path, log: Path) -> str:
    """Return what is wrong with the log of a file, '' for nothing. Raises OSError.

    Somebody may be writing to it: only what is there at a second look as well is wrong.
    """
    content, found = b"", ""
    for _ in range(_ATTEMPTS):
        before, content = content, _content(log)
        if not content or (content == before and found):
            break
        with path.open("rb") as file:
            found = read_log(content, _page_bytes(file.read(HEADER_BYTES + 1))).damage
        if not found:
            break
    return found if content else ""


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def _page_bytes(file: bytes) -> int:
    size = big(file, 16, 2) if file.startswith(_MAGIC) and len(file) > HEADER_BYTES else 0
    size = 65536 if size == 1 else size
    return size if size >= _LEAST_PAGE_BYTES and size & (size - 1) == 0 else _PAGE_BYTES


def _values(payload: bytes) -> Iterator[Stored]:
    end, at = varint(payload, 0)
    body = end
    while at < end:
        kind, at = varint(payload, at)
        if kind in _RESERVED or kind < 0:
            raise ValueError(f"there is no value of type {kind}")
        size = _SIZES[kind] if kind < len(_SIZES) else (kind - 12) // 2
        content = payload[body : body + size]
        if len(content) < size:
            raise ValueError("the record is cut off")
        body += size
        yield _value(kind, content)


def _value(kind: int, content: bytes) -> Stored:
    match kind:
        case 0:
            return None
        case 7:
            (number,) = struct.unpack(">d", content)
            return float(number)
        case 8 | 9:
            return kind - 8
        case _ if kind in _INTEGERS:
            return int.from_bytes(content, "big", signed=True)
        case _:
            return content.decode("utf-8", "replace") if kind % 2 else content
