"""Which repositories with memories have a name much like this one's: where to look when nothing is found here."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final

from wisen.core.types import GraphId, GraphKind

MOST: Final = 3
# Of difflib's ratio (Ratcliff/Obershelp): "widgets" and "widget" have .92, "api" and "app" .67.
_LIKE: Final = 0.7
_SHORTEST_PART: Final = 3
_NAMELESS: Final = frozenset({"local", "path"})  # known by a commit or a path, not by a name


def near_graphs(wanted: GraphId, there: Sequence[GraphId]) -> tuple[GraphId, ...]:
    """Return at most 3 repositories of the same harness that are called nearly as `wanted`, the likest first."""
    name = _name(wanted)
    if not name:
        return ()
    likeness = {graph: _likeness(name, _name(graph)) for graph in there if _may_be_meant(graph, wanted)}
    near = [graph for graph, ratio in likeness.items() if ratio >= _LIKE]
    return tuple(sorted(near, key=lambda graph: (-likeness[graph], str(graph)))[:MOST])


def _may_be_meant(graph: GraphId, wanted: GraphId) -> bool:
    return graph != wanted and graph.kind is wanted.kind and graph.harness == wanted.harness


def _name(graph: GraphId) -> str:
    is_named = graph.kind is GraphKind.REPO and graph.authority not in _NAMELESS
    return graph.path.rpartition("/")[2].partition("~")[0].casefold() if is_named else ""


def _likeness(one: str, other: str) -> float:
    if one == other:
        return 1.0
    short, long = sorted((one, other), key=len)
    if len(short) >= _SHORTEST_PART and long.startswith(short):
        return 0.95
    return SequenceMatcher(None, one, other).ratio()
