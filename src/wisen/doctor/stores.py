"""What do the stores hold? Looked at in a copy, with or without a daemon: an open database is never only read.

Opening one migrates it, finishes its write-ahead log and sets a damaged file aside. That is the daemon's to do, and the
person's to decide; the copy shows what would come of it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Final

from wisen import lockfile, steps
from wisen.compose import SystemClock
from wisen.config import Paths
from wisen.core.findings import Finding
from wisen.doctor.report import wrong
from wisen.engine.health import Health, examine
from wisen.errors import StoreError
from wisen.ownfiles import refusal
from wisen.ports import ControlStore
from wisen.store.memory_control import InMemoryControl
from wisen.store.sqlite.aside import alone_in, carried_in_words, set_aside
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.files import CONTROL, GRAPH, missing_tables
from wisen.store.sqlite.graphs import SqliteGraphs
from wisen.store.sqlite.lost import LEDGER
from wisen.store.sqlite.place import is_graph_name
from wisen.store.sqlite.snapshot import copy_as_it_is

PREFIX: Final = "examination-"  # of the copy, below the state directory
_LOCK: Final = "lock"  # in a copy: held by the doctor that looks at it
_ASIDE: Final = ".damaged-"


def examined(paths: Paths, now: datetime) -> Health:
    """Return what is found in the files. Raises Refused when they can't be copied, for want of room or rights."""
    try:
        with _room(paths) as copy:
            _copy(paths, copy)
            return _with_real_places(_examined(paths, copy, now), copy, paths.data_dir)
    except OSError as error:
        raise refusal(error, "the memories can't be copied to be looked at") from error


@contextmanager
def _room(paths: Paths) -> Iterator[Path]:
    """Make the directory of a copy, which goes at the end; those of doctors that were killed go now."""
    with alone_in(paths.state_dir):
        for left in paths.state_dir.glob(f"{PREFIX}*"):
            if lockfile.holder(left / _LOCK) is None:
                shutil.rmtree(left, ignore_errors=True)
        copy = Path(tempfile.mkdtemp(prefix=PREFIX, dir=paths.state_dir))
        lock = lockfile.take(copy / _LOCK, str(os.getpid()))
    try:
        yield copy
    finally:
        shutil.rmtree(copy, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def _copy(paths: Paths, copy: Path) -> None:
    is_in_use = lockfile.holder(paths.data_lock_file) is not None
    (copy / paths.graphs_dir.name).mkdir(mode=0o700)
    names = (f"{paths.control_file.name}*", f"{paths.graphs_dir.name}/*.db*", f"{paths.graphs_dir.name}/{LEDGER}")
    for file in (file for name in names for file in sorted(paths.data_dir.glob(name))):
        if file.is_file() and not file.name.endswith(("-wal", "-shm")):
            is_database = is_in_use and file.suffix == ".db"
            copy_as_it_is(file, copy / file.relative_to(paths.data_dir), is_in_use=is_database)
        elif file.suffix == ".db":  # whatever it is, it is in the way of a file of ours
            (copy / file.relative_to(paths.data_dir)).mkdir(mode=0o700)
    _copy_stray_logs(paths, copy)


def _copy_stray_logs(paths: Paths, copy: Path) -> None:
    """Copy the logs whose file is gone, or was set aside without it."""
    for log in (*paths.data_dir.glob("*-wal"), *paths.graphs_dir.glob("*-wal")):
        twin = copy / log.relative_to(paths.data_dir)
        if not twin.exists():
            copy_as_it_is(log, twin, is_in_use=False)


def _examined(paths: Paths, copy: Path, now: datetime) -> Health:
    incomplete = tuple(_of_tables(paths, copy))  # before a store opens them: that makes anew what is not there
    graphs = SqliteGraphs(copy / paths.graphs_dir.name, SystemClock())
    try:
        with _control(copy / paths.control_file.name, is_there=paths.control_file.exists()) as (control, findings):
            found = examine(control, graphs, now)
    finally:
        with suppress(StoreError):
            graphs.close()
    data = [_kept_in_sight(one, now) for one in found.data if not _is_only_in(copy, Path(one.where), paths.data_dir)]
    return replace(found, data=(*findings, *incomplete, *data, *_of_damage(paths, copy)))


def _of_tables(paths: Paths, copy: Path) -> Iterator[Finding]:
    """Tell of each table that a file does not have, and once had."""
    for file in (copy / paths.control_file.name, *sorted((copy / paths.graphs_dir.name).glob("*.db"))):
        if gone := missing_tables(file, CONTROL if file.name == paths.control_file.name else GRAPH):
            what = f"{', '.join(gone)}: no such table any more, and with it all that was in it is gone"
            step = f"{steps.FROM_BACKUP}; `wisen doctor --mend` goes on with what is there"
            yield wrong(what, step, str(file))


@contextmanager
def _control(file: Path, *, is_there: bool) -> Iterator[tuple[ControlStore, tuple[Finding, ...]]]:
    """Open the control file; an empty one stands in where there is none, or none that can be opened."""
    control: ControlStore = InMemoryControl()
    findings: tuple[Finding, ...] = ()
    if is_there:
        try:
            control = SqliteControl(file)
        except StoreError as error:
            step = steps.move_aside(file) if file.is_dir() else error.hint or _FROM_BACKUP
            findings = (wrong(error.message, step, str(file)),)
    try:
        yield control, findings
    finally:
        with suppress(StoreError):
            control.close()


_FROM_BACKUP: Final = f"{steps.FROM_BACKUP}; the file stays as it is until then"


def _kept_in_sight(finding: Finding, now: datetime) -> Finding:
    """Return what to do about a graph's file that nothing tells the graph of, if that was to move it out of the way.

    Nobody would miss it then, nor the memories in it. By the name of a damaged file it is told of until it is deleted.
    """
    file = Path(finding.where)
    if not (is_graph_name(file) and file.is_file() and finding.next_step == steps.move_aside(file)):
        return finding
    aside = file.with_name(f"{file.name}{_ASIDE}{now:%Y%m%dT%H%M%SZ}")
    step = f"`mv {steps.paths([file, aside])}` keeps it, and the graph begins anew when it is used again"
    return replace(finding, next_step=f"{steps.FROM_BACKUP}; without one: {step}")


def _of_damage(paths: Paths, copy: Path) -> Iterator[Finding]:
    """Tell of each file that was set aside in the copy only: the user's own lies where it was."""
    for directory, pattern in ((copy, paths.control_file.name), (copy / paths.graphs_dir.name, "*.db")):
        for aside, note in set_aside(directory, pattern):
            if not _is_only_in(copy, aside, paths.data_dir) or note is None:
                continue
            whose = f"the file of {note.graph} is " if note.graph else ""
            yield wrong(
                f"{whose}damaged ({note.why}); {carried_in_words(note) or 'nothing in it'} can be read",
                _of_both(has_something=bool(carried_in_words(note))),
                str(aside.with_name(aside.name.partition(_ASIDE)[0])),
            )


def _of_both(*, has_something: bool) -> str:
    """Return what to do about a damaged file: the better thing first."""
    if has_something:
        return f"`wisen doctor --mend` keeps it and goes on with what can be read; {steps.FROM_BACKUP}"
    return f"{steps.FROM_BACKUP}; without one: `wisen doctor --mend` keeps it and begins a new one"


def _is_only_in(copy: Path, place: Path, data_dir: Path) -> bool:
    """Whether a file that was set aside is one of the copy's."""
    return _ASIDE in place.name and not (data_dir / place.relative_to(copy)).exists()


def _with_real_places(found: Health, copy: Path, data_dir: Path) -> Health:
    """Return the findings with the files named as they are, not as their copies."""

    def real(text: str) -> str:
        return text.replace(str(copy), str(data_dir))

    return replace(
        found,
        data=tuple(
            replace(
                one, what=real(one.what), where=real(one.where), next_step=steps.moved(one.next_step, copy, data_dir)
            )
            for one in found.data
        ),
    )
