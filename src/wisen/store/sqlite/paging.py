"""Which events of a session come next? A page at a time, so that nobody waits while a long session is read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wisen.core.types import Event
from wisen.store import contract
from wisen.store.queries import load
from wisen.store.sqlite import rows
from wisen.store.sqlite.connection import Value
from wisen.store.sqlite.group import GroupedWriter
from wisen.store.sqlite.soundness import EVENTS, SoundRows

_SQL = load(Path(__file__).with_name("queries") / "control.sql")


def events_of(
    sound: SoundRows, file: GroupedWriter, harness: str, session_id: str, *, after: str, limit: int
) -> tuple[Sequence[Event], str]:
    """Return a page of a session's sound events, and the place behind it; '' when there are no more."""
    at_us, seq = contract.marked(after) or (None, None)
    which: dict[str, Value] = {"harness": harness, "session_id": session_id, "at_us": at_us, "seq": seq, "limit": limit}
    with file.read() as database:
        found = database.all(_SQL["events_of_session"], contract.storable(which))
    page = [event for row in found if (event := sound.value(EVENTS, row)) is not None]
    if limit <= 0 or len(found) < limit:
        return tuple(page), ""
    number, _, _, _, last_us, *_ = found[-1]
    return tuple(page), contract.as_mark((rows.whole(last_us), rows.whole(number)))
