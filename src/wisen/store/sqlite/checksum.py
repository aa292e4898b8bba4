"""Is a row still what was written? SQLite's own check lets one flipped bit in ten through; this one does not."""

from __future__ import annotations

from zlib import crc32

from wisen.errors import StoreDamaged
from wisen.steps import FROM_BACKUP
from wisen.store.sqlite.connection import Value


def seal(*values: Value) -> int:
    """Return the checksum of a row's values, its key among them, so that rows can't be swapped either."""
    return crc32("\x1f".join(map(repr, values)).encode())


def verify(where: str, sealed: Value, *values: Value) -> None:
    """Raise StoreDamaged, naming the row, when its values are not those that were sealed."""
    if seal(*values) != sealed:
        raise StoreDamaged(
            f"{where}: the stored row is damaged, its checksum does not match",
            hint=FROM_BACKUP,
        )
