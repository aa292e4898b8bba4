"""What was there and is gone? Files of graphs, memories, and changes of them: rows that stand say that others did.

A row that is missing has no checksum to be wrong by. The journal tells of memories, each change of the one before it,
and `graphs.json`, beside the graphs' files, of the files.
"""

from __future__ import annotations

import logging
import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

from wisen import steps
from wisen.core.findings import Finding, Severity
from wisen.core.lifecycle import with_usage_of
from wisen.core.records import JournalEntry, RootClaim
from wisen.core.shortids import short
from wisen.core.types import GraphId, Memory
from wisen.errors import StoreDamaged
from wisen.ownfiles import replace_file
from wisen.store.codec import decode, encode
from wisen.store.sqlite import rows
from wisen.store.sqlite.connection import Row

log = logging.getLogger(__name__)

LEDGER: Final = "graphs.json"
_NAMED: Final = 3  # of what is lost, told one by one
_NOBODY: Final = rows.moment(0)


class Ledger:
    """Which graphs have a file, by the file's name; so one that is gone is missed. For the holder of the files."""

    def __init__(self, directory: Path) -> None:
        self._file = directory / LEDGER
        self._made: dict[str, GraphId] | None = None

    def note(self, made: Mapping[Path, GraphId]) -> None:
        """Write down which graphs have a file; what can't be written is tried again at the next one."""
        new = {path.name: graph for path, graph in made.items()}
        if not new.items() <= self._known().items():
            self._write(self._known() | new)

    def drop(self, path: Path) -> bool:
        """Forget a file; return whether it was known. Raises OSError when it can't be: it would be missed."""
        if path.name not in self._known():
            return False
        kept = {name: graph for name, graph in self._known().items() if name != path.name}
        replace_file(self._file, encode(kept).encode())
        self._made = kept
        return True

    def graph_of(self, path: Path) -> GraphId | None:
        """Return whose file had a name when it could be read last, None for one that was never noted."""
        return self._known().get(path.name)

    def missing(self) -> Sequence[tuple[Path, GraphId]]:
        """Return the files that are gone, and whose graphs they were."""
        places = ((self._file.with_name(name), graph) for name, graph in sorted(self._known().items()))
        return [(path, graph) for path, graph in places if not path.exists()]

    def _known(self) -> dict[str, GraphId]:
        if self._made is None or not self._file.exists():  # a restore takes it away: what is there then is all there is
            try:
                self._made = decode(self._file.read_text(encoding="utf-8"), dict[str, GraphId], str(self._file))
            except (OSError, UnicodeDecodeError, StoreDamaged):
                self._made = {}
        return self._made

    def _write(self, made: dict[str, GraphId]) -> None:
        try:
            replace_file(self._file, encode(made).encode())
        except OSError as error:
            log.warning("graphs_not_noted", extra={"error": str(error)})
            return
        self._made = made


def missing_in_words(path: Path, graph: GraphId) -> str:
    """Return the sentence that tells of a graph's file that is gone."""
    return f"{path}: the file of {graph} is gone, and with it all memories in it"


def check_missing(missing: Iterable[tuple[Path, GraphId]]) -> Sequence[Finding]:
    """Return a finding for each graph's file that is gone."""
    return [
        _lost(
            missing_in_words(path, graph),
            str(path),
            f"{steps.FROM_BACKUP}; if you deleted it yourself: `wisen graphs rm {shlex.quote(str(graph))}`",
        )
        for path, graph in missing
    ]


def check_history(
    graph: GraphId,
    memories: Sequence[Memory],
    there: Iterable[Row],
    sound: Sequence[JournalEntry],
    written: Iterable[Row],
    where: str,
) -> Iterator[Finding]:
    """Yield what the journal knows of and is gone: memories, and changes of them.

    `there` and `written` are all rows of memories and of the journal, `memories` and `sound` what can be read of them;
    a memory with a damaged change is told of already.
    """
    journal: dict[str, list[JournalEntry]] = defaultdict(list)
    for entry in sorted(sound, key=lambda entry: entry.seq):
        journal[entry.memory_id].append(entry)
    rows_of: dict[str, int] = defaultdict(int)
    for row in written:
        rows_of[str(row[2])] += 1
    whole = {memory_id: entries for memory_id, entries in journal.items() if len(entries) == rows_of[memory_id]}
    held, ids = {memory.memory_id: memory for memory in memories}, {str(row[1]) for row in there}
    gone = [memory_id for memory_id, entries in whole.items() if entries[-1].after and memory_id not in ids]
    if gone:
        what = f"{_count(gone)} that the journal tells of {'is' if len(gone) == 1 else 'are'} gone: {_some(gone)}"
        words = f"`wisen log --graph {shlex.quote(str(graph))}` has what they said"
        yield _lost(what, where, f"{steps.FROM_BACKUP}; without one: {words}, {_erasing(gone, graph)}")
    torn = [memory_id for memory_id, entries in whole.items() if _is_torn(entries, held.get(memory_id))]
    torn += [memory_id for memory_id in held if memory_id not in rows_of]
    if torn:
        what = f"changes of {_count(torn)} are gone from the journal: {_some(torn)}"
        yield _lost(
            what,
            where,
            f"{steps.FROM_BACKUP}; without one: what is remembered now is whole; {_erasing(torn, graph)} with them",
        )


def check_claims(found: Iterable[Row], where: str) -> Iterator[Finding]:
    """Yield each root claim that says nothing any more: no clone of its remote may use its memories."""
    for _, *row in found:
        try:
            is_sound = rows.claim_of(tuple(row)) != RootClaim(graph=str(row[0]), root="", first_seen=_NOBODY)
        except StoreDamaged:
            is_sound = False
        if not is_sound:
            what = f"which history {row[0]} belongs to was damaged: its clone is foreign, and gets none of its memories"
            yield _lost(what, where, "`wisen repo trust` in that clone says that it is the one")


def _is_torn(entries: Sequence[JournalEntry], held: Memory | None) -> bool:
    """Whether a change is missing: each begins with what the one before left, and the last left the words held.

    How far those are trusted may be less by then: an import, and what is carried over from a damaged file, see to it.
    """
    values = [(None, entries[0].before), *((one.after, two.before) for one, two in pairwise(entries))]
    last = entries[-1].after
    return not all(_same(*pair) for pair in values) or (held is not None and (not last or last.text != held.text))


def _same(one: Memory | None, two: Memory | None) -> bool:
    return one == two if one is None or two is None else with_usage_of(one, two) == two


def _erasing(memory_ids: Sequence[str], graph: GraphId) -> str:
    """Return what ends a finding about some memories; the next ones are told when these are gone."""
    each = ", ".join(steps.erase(memory_id, graph) for memory_id in memory_ids[:_NAMED])
    return f"{each} {'erases' if len(memory_ids) == 1 else 'erase'} what is left of them"


def _count(memory_ids: Sequence[str]) -> str:
    return f"{len(memory_ids)} {'memory' if len(memory_ids) == 1 else 'memories'}"


def _some(memory_ids: Sequence[str]) -> str:
    named = ", ".join(short(memory_id) for memory_id in memory_ids[:_NAMED])
    more = len(memory_ids) - _NAMED
    return f"{named} and {more} more" if more > 0 else named


def _lost(what: str, where: str, next_step: str) -> Finding:
    return Finding(what=what, where=where, severity=Severity.ERROR, next_step=next_step)
