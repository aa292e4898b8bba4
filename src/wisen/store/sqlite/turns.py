"""Which turns stand before and after one in its conversation?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from wisen.core.embeddings import Around
from wisen.store.queries import load
from wisen.store.sqlite import rows
from wisen.store.sqlite.connection import Database, Value

_QUERIES = Path(__file__).with_name("queries")
_SQL = load(_QUERIES / "vectors.sql", _QUERIES / "graph.sql")


def around(database: Database, passages: Sequence[int], reach: int) -> Mapping[int, Around]:
    """Return the turns before and after some passages, the nearest first; nothing for what is no turn.

    Costs the same however long a conversation is.
    """
    found: dict[int, Around] = {}
    for passage in passages:
        for session, created_us, memory_id in database.all(_SQL["turn"], {"passage": passage}):
            here = {"session": session, "created_us": created_us, "memory_id": memory_id, "reach": reach}
            found[passage] = Around(
                before=_beside(database, "turns_before", here), after=_beside(database, "turns_after", here)
            )
    return found


def mend(database: Database) -> bool:
    """Say of each turn anew where it stands, where that was not so; return whether one was wrong."""
    dropped = database.run(_SQL["drop_turns_amiss"])
    return database.run(_SQL["put_turns_missing"]) + dropped > 0


def _beside(database: Database, query: str, here: Mapping[str, Value]) -> tuple[int, ...]:
    return tuple(rows.whole(passage) for (passage,) in database.all(_SQL[query], here))
