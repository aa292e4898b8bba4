"""Which JSON objects does a line-by-line session file hold, and how far can it be read? Streaming, bounded, tolerant.

Lines end with a line feed and nothing else: a string in them may hold U+2028, U+0085 or a file separator, which
`str.splitlines` takes for line ends. A file is read while the harness writes it: its last line may be half there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from wisen.errors import PayloadError
from wisen.transcripts.fields import Fields, decode

# A prompt with one image of the largest size that the model API takes (5 MB, base64) has 6.7 million bytes.
MAX_LINE_BYTES = 8 * 1024 * 1024
_CHUNK_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One JSON object, where its line starts and how long it is, in bytes."""

    offset: int
    size: int
    fields: Fields


class LineReader:
    """Iterates over the objects of a binary file; the attributes say what happened on the way.

    `next_offset` is where a later read goes on: after the last complete line. `skipped` counts lines that begin at
    `fresh_from` or later and hold no object, or more than `max_line_bytes`. `incomplete` means that the last line is
    still being written.
    """

    def __init__(
        self,
        file: BinaryIO,
        *,
        start: int = 0,
        end: int | None = None,
        fresh_from: int = 0,
        mentioning: Sequence[bytes] = (),
        max_line_bytes: int = MAX_LINE_BYTES,
    ) -> None:
        """Read lines that begin in [start, end) and, with `mentioning`, hold any of these bytes."""
        self._file = file
        self._end = end
        self._fresh_from = fresh_from
        self._mentioning = mentioning
        self._max_line_bytes = max_line_bytes
        self.next_offset = start
        self.skipped = 0
        self.incomplete = False

    def __iter__(self) -> Iterator[Line]:
        """Yield the objects in file order. Raises OSError when the file can't be read."""
        self._file.seek(self.next_offset)
        while self._end is None or self.next_offset < self._end:
            offset = self.next_offset
            data = self._file.readline(self._max_line_bytes + 1)
            if not data:
                return
            if len(data) > self._max_line_bytes:
                self._pass_over(data)
            elif fields := self._object(data):
                yield Line(offset=offset, size=len(data), fields=fields)
            if self.incomplete:
                return

    def _object(self, data: bytes) -> Fields | None:
        fields = None
        if data.strip() and (not self._mentioning or any(word in data for word in self._mentioning)):
            try:
                fields = decode(data)
            except PayloadError:
                if not data.endswith(b"\n"):
                    self.incomplete = True
                    return None
                self._skip()
        self.next_offset += len(data)
        return fields

    def _pass_over(self, data: bytes) -> None:
        """Read to the end of a line that is too long, a chunk at a time."""
        size = len(data)
        while not data.endswith(b"\n"):
            data = self._file.readline(_CHUNK_BYTES)
            if not data:
                self.incomplete = True
                return
            size += len(data)
        self._skip()
        self.next_offset += size

    def _skip(self) -> None:
        """Count a line, unless an earlier read of the file has counted it."""
        self.skipped += self.next_offset >= self._fresh_from
