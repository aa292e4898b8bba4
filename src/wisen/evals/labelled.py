"""What do the lines of a label file hold, and how many items of the natural mix does each of them stand for?"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from wisen.errors import NotFound, PayloadError
from wisen.transcripts.fields import Fields, decode


def labelled(path: Path, *, but_not: Collection[str] = ()) -> Iterator[Fields]:
    """Yield the objects of a JSON Lines file, plain or gzipped, without those whose `repo` is in `but_not`.

    Raises NotFound when the file can't be read and PayloadError, with the line's number, for a line that is no object.
    """
    for number, line in enumerate(_content(path).split(b"\n"), 1):
        if line.strip():
            row = _decoded(line, f"{path}, line {number}")
            if row.text("repo") not in but_not:
                yield row


@dataclass(frozen=True, slots=True)
class Strata:
    """From which stratum each labelled item was drawn, and how large the strata of each repository are."""

    ids: Fields = field(default_factory=Fields)
    population: Fields = field(default_factory=Fields)

    def of(self, row: Fields) -> str:
        """Return the stratum of an item, `REPO|STRATUM`; empty when it is in none."""
        name = self.ids.text(row.text("id"))
        return f"{row.text('repo')}|{name}" if name else ""

    def size(self, stratum: str) -> float:
        """Return how many items there are of a stratum, labelled or not."""
        return self.population.number(stratum) or 0.0


def strata(path: Path | None) -> Strata:
    """Read a strata file: a JSON object with `ids` and `population`. Raises as `labelled` does; empty for None."""
    if path is None:
        return Strata()
    found = _decoded(_content(path), str(path))
    return Strata(ids=found.object("ids"), population=found.object("population"))


def _content(path: Path) -> bytes:
    try:
        raw = path.read_bytes()
        return gzip.decompress(raw) if raw.startswith(b"\x1f\x8b") else raw
    except (OSError, EOFError, zlib.error) as error:
        raise NotFound(f"can't read {path}: {error}", hint="give a file of JSON Lines, plain or gzipped") from error


def _decoded(raw: bytes, where: str) -> Fields:
    try:
        return decode(raw)
    except PayloadError as error:
        raise PayloadError(f"{where}: {error.message}") from error
