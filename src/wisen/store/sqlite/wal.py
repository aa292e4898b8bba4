"""What does a write-ahead log hold, and is it what its writers left?

SQLite takes a log up to the first frame that does not check out, and overwrites the rest. That is right after a power
cut, which leaves the last transaction in pieces; where a frame was damaged, what follows it is lost without a word. The
two can be told apart: a transaction is on disk as a whole before the next is written, so only the last is in pieces.

The format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from wisen.store.sqlite.torn import is_in_two_sectors, is_short_change, may_be_torn

_MAGIC: Final = 0x377F0682  # the lowest bit says in which byte order the checksums are made
_VERSION: Final = 3007000
_HEADER: Final = struct.Struct(">8I")
_FRAME: Final = struct.Struct(">6I")
_SUMMED: Final = slice(0, 24)  # of the header; of a frame it is the first 8 bytes, and the page
_NO_HEADER: Final = "its write-ahead log does not begin like one"
_OTHER_PAGES: Final = "its write-ahead log is that of another file"
_BROKEN: Final = "its write-ahead log is damaged, and changes come after the damage"
_CHANGED: Final = "its write-ahead log is damaged: the last transaction in it is not as it was written"

_Pair: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Log:
    """The content of a log.

    `pages` has the newest committed content of each page. Where `damage` says what is wrong, that may come from a frame
    that does not check out; `older` has for such a page what it was before, oldest first, None for what the file has.
    """

    pages: Mapping[int, bytes] = field(default_factory=dict)
    older: Mapping[int, Sequence[bytes | None]] = field(default_factory=dict)
    damage: str = ""


@dataclass(frozen=True, slots=True)
class _Head:
    """What all frames of the log's last round have in common; `damage` says why the header can't be believed.

    `is_first` says that it is the first round: whatever was not written is zeros.
    """

    salt: _Pair | None
    sums: _Pair
    order: str
    damage: str = ""
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class _Frame:
    number: int
    is_commit: bool
    salt: _Pair
    sums: _Pair
    head: bytes
    page: bytes
    at: int

    def summed(self, before: _Pair, order: str) -> _Pair:
        """Return the checksum that belongs here, after a frame that ends with the one `before`."""
        return _checksum(self.page, _checksum(self.head, before, order), order)


def read_log(content: bytes, page_bytes: int) -> Log:
    """Return what is in a log that belongs to a file with pages of that size."""
    if len(content) <= _HEADER.size:  # a header alone, whole or torn, is all that there ever was
        return Log()
    frames = _frames(content, page_bytes)
    head = _head_of(content, page_bytes)
    is_whole = _checked(frames, head)
    salt = head.salt or next((f.salt for f, whole in zip(frames[1:], is_whole[1:], strict=True) if whole), None)
    sound = next((n for n, f in enumerate(frames) if f.salt != salt or not is_whole[n]), len(frames))
    damage = head.damage or _broken(frames, is_whole, sound, head)
    ours = [n for n, frame in enumerate(frames) if frame.salt == salt and (damage or n < sound)]
    last = max((n for n in ours if frames[n].is_commit), default=-1)
    most = max((frames[n].number for n in ours if is_whole[n]), default=0) + len(frames)
    return _overlaid([(frames[n], is_whole[n]) for n in ours if n <= last], most, damage)


def _head_of(content: bytes, page_bytes: int) -> _Head:
    magic, version, size, rounds, salt_1, salt_2, *sums = _HEADER.unpack_from(content)
    order = ">" if magic & 1 else "<"
    is_header = magic & ~1 == _MAGIC and version == _VERSION
    if not is_header or list(_checksum(content[_SUMMED], (0, 0), order)) != sums:
        return _Head(
            None, (sums[0], sums[1]), order if is_header else "<" if sys.byteorder == "little" else ">", _NO_HEADER
        )
    damage = "" if size == page_bytes else _OTHER_PAGES
    return _Head((salt_1, salt_2), (sums[0], sums[1]), order, damage, is_first=not rounds)


def _frames(content: bytes, page_bytes: int) -> Sequence[_Frame]:
    step = _FRAME.size + page_bytes
    return [_frame_at(content, at, at + step) for at in range(_HEADER.size, len(content) - step + 1, step)]


def _frame_at(content: bytes, at: int, end: int) -> _Frame:
    number, commit, salt_1, salt_2, sum_1, sum_2 = _FRAME.unpack_from(content, at)
    page = content[at + _FRAME.size : end]
    return _Frame(number, commit > 0, (salt_1, salt_2), (sum_1, sum_2), content[at : at + 8], page, at + _FRAME.size)


def _checked(frames: Sequence[_Frame], head: _Head) -> Sequence[bool]:
    """Return which frames check out, whatever is before them: by the checksum that stands there, or should."""
    found = []
    said = due = head.sums
    for frame in frames:
        due, before = frame.summed(said, head.order), due
        found.append(frame.sums == due or (before != said and frame.sums == frame.summed(before, head.order)))
        said = frame.sums
    return found


def _broken(frames: Sequence[_Frame], is_whole: Sequence[bool], sound: int, head: _Head) -> str:
    """Return what is wrong when what follows the sound frames was once on disk as a whole: no power cut made it so.

    It was where something comes after its commit; and where every frame is there that it had, the last as it was
    written, and one of them is not as a power cut would have left it.
    """
    rest = [n for n in range(sound, len(frames)) if frames[n].salt == head.salt]
    commit = next((n for n in rest if frames[n].is_commit), None)
    if commit is None:
        return ""
    if rest[-1] > commit:
        return _BROKEN
    is_all_there = rest[0] == sound and len(rest) == commit - sound + 1 and is_whole[commit]
    is_changed = is_all_there and any(not is_whole[n] and not _may_be_torn(frames, n, head) for n in rest)
    return _CHANGED if is_changed else ""


def _may_be_torn(frames: Sequence[_Frame], n: int, head: _Head) -> bool:
    frame, before = frames[n], frames[n - 1].sums if n else head.sums
    one, two = frame.summed(before, head.order)
    wrong = (frame.sums[0] - one) & 0xFFFFFFFF, (frame.sums[1] - two) & 0xFFFFFFFF
    if any(is_in_two_sectors(f.at - _FRAME.size, f.at) for f in frames[max(n - 1, 0) : n + 1]):
        # Of either header one half may be as it was before.
        return not frame.number or not is_short_change(len(frame.page), wrong, head.order)
    is_reused = not head.is_first or frames[-1].salt != head.salt
    return may_be_torn(frame.page, frame.number, frame.at, wrong, order=head.order, is_reused=is_reused)


def _overlaid(frames: Sequence[tuple[_Frame, bool]], most: int, damage: str) -> Log:
    """Return what the frames make of the pages; a frame that does not check out names no page beyond `most`."""
    pages: dict[int, bytes] = {}
    older: dict[int, list[bytes | None]] = {}
    for frame, is_whole in frames:
        if is_whole:
            older.pop(frame.number, None)
        elif 0 < frame.number <= most:
            older.setdefault(frame.number, []).append(pages.get(frame.number))
        else:
            continue
        pages[frame.number] = frame.page
    return Log(pages, older, damage)


def _checksum(content: bytes, start: _Pair, order: str) -> _Pair:
    one, two = start
    words = struct.unpack(f"{order}{len(content) // 4}I", content)
    for first, second in zip(words[::2], words[1::2], strict=True):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two
