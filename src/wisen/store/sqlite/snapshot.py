"""How is a file copied as it is, damage and all, while somebody may write to it?

SQLite's own copy is of what SQLite can read. This one is byte for byte, of the file and its log, of one moment: while
a reader sees that moment, nobody begins the log anew, and what a checkpoint moves into the file is in the log as well.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from wisen.errors import StoreError
from wisen.store.queries import load
from wisen.store.sqlite.connection import Database
from wisen.store.sqlite.files import sidecars

_SQL = load(Path(__file__).with_name("queries") / "reading.sql")


def copy_as_it_is(path: Path, copy: Path, *, is_in_use: bool) -> None:
    """Copy a file, which may go meanwhile, and its log. Raises OSError.

    A file that nobody has open is only read: to open it is to change what lies beside it.
    """
    with _held_still(path) if is_in_use else nullcontext():
        for part, twin in zip(sidecars(path)[:2], sidecars(copy)[:2], strict=True):
            with suppress(FileNotFoundError), part.open("rb") as source:
                twin.touch(mode=0o600)
                with twin.open("wb") as target:
                    shutil.copyfileobj(source, target)


@contextmanager
def _held_still(path: Path) -> Iterator[None]:
    """See the file as of one moment while the block runs; one that SQLite can't read is in nobody's use."""
    try:
        database = Database(path, read_only=True)
    except StoreError:
        yield
        return
    with database:
        with suppress(StoreError):
            database.run(_SQL["begin_reading"])
        yield
