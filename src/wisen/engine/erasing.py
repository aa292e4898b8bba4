"""What was erased stays erased: words said before a purge that come in after it, from a copied or late transcript."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime

from wisen.core.erased import Erased, event_without, is_held_by, known_at
from wisen.core.types import Event, GraphId, Signal
from wisen.errors import StoreError
from wisen.ports import GraphStores


def erased_since(
    stores: GraphStores, graphs: Iterable[GraphId], at: datetime | None, now: datetime
) -> tuple[Erased, ...]:
    """Return what was erased from some graphs after something was said, all of it where nobody knows when that was.

    A graph that can't be read hinders nothing.
    """
    found: list[Erased] = []
    for graph in dict.fromkeys(graphs):
        with suppress(StoreError):
            store = stores.existing(graph)
            found += store.erased() if store else ()
    return known_at(found, at, now)


def without_erased(
    event: Event, signals: Sequence[Signal], erased: Sequence[Erased]
) -> tuple[Event, tuple[Signal, ...]]:
    """Return an event without the words that hold erased ones, and the signals that hold none."""
    if not erased:
        return event, tuple(signals)
    bare = event_without(event, lambda text: "" if is_held_by(text, erased) else text)
    return bare, tuple(signal for signal in signals if not is_held_by(signal.rule, erased))
