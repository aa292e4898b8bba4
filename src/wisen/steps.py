"""What can be pasted into a shell to get on? Every path and graph in it is quoted, and no command lacks an argument."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from wisen.core.types import GraphId

FROM_BACKUP: Final = "`wisen restore-backup latest` brings back the newest backup"
ASIDE: Final = ".aside"  # what is moved out of the way is called so afterwards


def paths(places: Iterable[Path]) -> str:
    """Return places as words of a shell command, quoted even where they need not be: see `moved`."""
    return " ".join(f"'{_within_quotes(place)}'" for place in places)


def moved(step: str, old: Path, new: Path) -> str:
    """Return a step with the places below one directory named as below another."""
    return step.replace(_within_quotes(old), _within_quotes(new)).replace(str(old), str(new))


def _within_quotes(place: Path) -> str:
    return str(place).replace("'", "'\"'\"'")


def move_aside(place: Path) -> str:
    """Return how to get something out of the way, and keep it."""
    return f"`mv {paths([place, place.with_name(place.name + ASIDE)])}` moves it out of the way"


def erase(memory_id: str, graph: GraphId) -> str:
    """Return the command that erases a memory for good, wherever it is typed."""
    return f"`wisen forget {memory_id} --purge --graph {shlex.quote(str(graph))}`"
