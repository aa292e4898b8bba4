"""Does what is in a file hold together? All of it is read; an index that is wrong, being only derived, is made anew.

A page or an index of a table that is wrong makes the whole file be mended: see `retrying.mending`.
"""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from wisen import steps
from wisen.core.findings import Finding, Severity
from wisen.core.types import GraphId, Memory, Status, Trigger
from wisen.errors import StoreError
from wisen.store.contract import next_number
from wisen.store.queries import load
from wisen.store.sqlite import rows, turns, vectors
from wisen.store.sqlite.aside import problem, set_aside
from wisen.store.sqlite.connection import Database, FileDamaged
from wisen.store.sqlite.damage import DamagedRows
from wisen.store.sqlite.group import GroupedWriter
from wisen.store.sqlite.lost import check_claims, check_history
from wisen.store.sqlite.place import is_graph_name
from wisen.store.sqlite.pool import Pool

_SQL = load(Path(__file__).with_name("queries") / "checks.sql")
_GRAPH_SQL = load(Path(__file__).with_name("queries") / "graph.sql")
_NOTHING: Final = "nothing"
_MEND: Final = "`wisen doctor --mend` makes it anew"
_DROPPED: Final = "nothing: it is dropped when it is as old as other events are kept"


def check_graph(graph: GraphId, pool: Pool, damaged: DamagedRows) -> Sequence[Finding]:
    """Return what is wrong in one graph. Raises FileDamaged for a page that is."""
    where = str(pool.path)
    with pool.read() as database:
        there = database.all(_GRAPH_SQL["every_memory"])
        written = database.all(_GRAPH_SQL["entries"], {"memory_id": "", "batch": "", "limit": -1})
        passages = set(database.all(_SQL["passages_by_memory"]))
        [(keys,)] = database.all(_SQL["keys_of_nothing"])
        [(unkeyed,)] = database.all(_SQL["memories_without_key"])
        [(last,)] = database.all(_GRAPH_SQL["last_seq"])
    memories, entries = damaged.memories(there), damaged.entries(written)
    suspects = [m.memory_id for m in memories if tuple(rows.passage_row(m).values()) not in passages]
    with pool.write() as database:
        is_mended = _mend_index(database, suspects, graph)
        is_in_order = not turns.mend(database)
        is_in_step = not vectors.mend(database, damaged)
    _verify_pages(pool.path)
    found = [_found(Severity.ERROR, what, where, hint) for what, hint in damaged.each()]
    if is_mended:
        what = f"the index of {graph} does not hold the words of its memories: not all of them are found"
        found.append(_found(Severity.WARNING, what, where, _MEND))
    if not is_in_order:
        what = f"the turns of {graph} were not in the order of their conversations"
        found.append(_found(Severity.WARNING, what, where, _MEND))
    if not is_in_step:
        what = f"the vectors of {graph} were not in step with its memories: not all of them were found by meaning"
        found.append(_found(Severity.WARNING, what, where, _MEND))
    if keys:
        found.append(_found(Severity.NOTE, f"{keys} natural keys of {graph} are of nothing known", where, _NOTHING))
    if unkeyed:
        what = f"{unkeyed} memories of {graph} have no natural key: heard again, the same may be learned once more"
        found.append(_found(Severity.NOTE, what, where, f"{steps.FROM_BACKUP}; without one, {_NOTHING}"))
    found += check_history(graph, memories, there, entries, written, where)
    return [*found, *_of_numbers(rows.whole(last), where), *_of_twins(graph, memories, where)]


def check_control(path: Path, file: GroupedWriter, damaged: Iterable[str]) -> Sequence[Finding]:
    """Return what is wrong in the control file. Raises FileDamaged for a page that is."""
    _verify_pages(path)
    with file.read() as database:
        [(signals,)] = database.all(_SQL["signals_of_nobody"])
        claims = database.all(_SQL["every_claim"])
    found = [_found(Severity.WARNING, what, str(path), _DROPPED) for what in damaged]
    if signals:
        what = f"{signals} signals are of sessions that are not there: nothing is learned from them"
        found.append(_found(Severity.NOTE, what, str(path), _NOTHING))
    return [*found, *check_claims(claims, str(path))]


def check_set_aside(directory: Path, pattern: str) -> Sequence[Finding]:
    """Return a finding for each damaged file that is kept."""
    return [
        _found(
            Severity.ERROR, problem(path, note), str(path), f"look at what is missing, then `rm {steps.paths([path])}*`"
        )
        for path, note in set_aside(directory, pattern)
    ]


def check_unusable(problems: Iterable[tuple[Path, StoreError]]) -> Sequence[Finding]:
    """Return a finding for each file that does not say which graph it holds, or is out of reach.

    One that is damaged and whose graph is known was mended before this.
    """
    found = []
    for path, error in problems:
        is_ours = is_graph_name(path)
        what = error.message if is_ours else f"{path}: no file of wisen's: {error.message.removeprefix(f'{path}: ')}"
        severity = Severity.ERROR if is_ours else Severity.WARNING
        found.append(_found(severity, what, str(path), error.hint or steps.move_aside(path)))
    return found


def _verify_pages(path: Path) -> None:
    """Raise FileDamaged for a page that is.

    On a connection of its own: one that has searched holds what its index looked like then, and takes a change by
    another connection for damage. Writers go on meanwhile.
    """
    with Database(path, read_only=True) as database:
        said = [str(row[0]) for row in database.all(_SQL["pages"])]
    if said != ["ok"]:
        raise FileDamaged(f"{path}: {said[0]}")


def _mend_index(database: Database, suspects: Iterable[str], graph: GraphId) -> bool:
    """Make the index hold the words of the memories, `suspects` among them; return whether it did not."""
    is_mended = False
    try:
        database.run(_SQL["index_matches"])
    except FileDamaged:
        database.run(_SQL["index_anew"])
        is_mended = True
    is_mended |= database.run(_SQL["drop_passages_of_nothing"]) > 0
    for memory_id in suspects:  # read again: one that was changed meanwhile is sound by now
        for row in database.all(_GRAPH_SQL["memory_by_id"], {"memory_id": memory_id}):
            is_mended |= database.run(_GRAPH_SQL["put_passage"], rows.passage_row(rows.memory_of(row[1:], graph))) > 0
    return is_mended


def _of_numbers(last: int, where: str) -> Sequence[Finding]:
    try:
        next_number(last)
    except StoreError as error:
        return [_found(Severity.ERROR, error.message, where, error.hint)]
    return []


def _of_twins(graph: GraphId, memories: Iterable[Memory], where: str) -> Sequence[Finding]:
    by_digest: dict[tuple[str, Trigger | None], list[str]] = defaultdict(list)
    for memory in memories:
        if memory.status is Status.ACTIVE:
            by_digest[memory.digest, memory.trigger].append(memory.short_id)
    return [
        _found(
            Severity.WARNING,
            f"{' and '.join(ids)} say the same",
            where,
            f"`wisen forget {ids[-1]} --graph {shlex.quote(str(graph))}`",
        )
        for ids in by_digest.values()
        if len(ids) > 1
    ]


def _found(severity: Severity, what: str, where: str, next_step: str) -> Finding:
    return Finding(what=what, where=where, severity=severity, next_step=next_step)
