"""What do the stores hold while no daemon runs? Looked at in a copy: an open database is never only read.

Opening one migrates it, finishes its write-ahead log and sets a damaged file aside. That is the daemon's to do, and the
person's to decide; the copy shows what would come of it.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Final

from wisen.compose import SystemClock
from wisen.config import Paths
from wisen.core.findings import Finding
from wisen.doctor.report import wrong
from wisen.engine.health import Health, examine
from wisen.errors import StoreError
from wisen.ownfiles import refusal
from wisen.ports import ControlStore
from wisen.store.memory_control import InMemoryControl
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.graphs import SqliteGraphs

PREFIX: Final = "examination-"  # of the copy, below the state directory


def examined(paths: Paths, now: datetime) -> Health:
    """Return what is found in the files. Raises Refused when they can't be copied, for want of room or rights."""
    _clear_away(paths)
    try:
        with tempfile.TemporaryDirectory(prefix=PREFIX, dir=paths.state_dir, ignore_cleanup_errors=True) as made:
            copy = Path(made)
            _copy(paths, copy)
            return _with_real_places(_examined(paths, copy, now), copy, paths.data_dir)
    except OSError as error:
        raise refusal(error, "the memories can't be copied to be looked at") from error


def _clear_away(paths: Paths) -> None:
    """Delete the copies of a doctor that was killed."""
    for left in paths.state_dir.glob(f"{PREFIX}*"):
        shutil.rmtree(left, ignore_errors=True)


def _copy(paths: Paths, copy: Path) -> None:
    (copy / paths.graphs_dir.name).mkdir(mode=0o700)
    for file in (*paths.data_dir.glob(f"{paths.control_file.name}*"), *paths.graphs_dir.glob("*.db*")):
        if file.is_file() and not file.name.endswith("-shm"):
            with suppress(FileNotFoundError):
                shutil.copyfile(file, copy / file.relative_to(paths.data_dir))


def _examined(paths: Paths, copy: Path, now: datetime) -> Health:
    graphs = SqliteGraphs(copy / paths.graphs_dir.name, SystemClock())
    try:
        with _control(copy / paths.control_file.name, is_there=paths.control_file.exists()) as (control, findings):
            found = examine(control, graphs, now)
    finally:
        with suppress(StoreError):
            graphs.close()
    return replace(found, data=(*findings, *found.data))


@contextmanager
def _control(file: Path, *, is_there: bool) -> Iterator[tuple[ControlStore, tuple[Finding, ...]]]:
    """Open the control file; an empty one stands in where there is none, or none that can be opened."""
    control: ControlStore = InMemoryControl()
    findings: tuple[Finding, ...] = ()
    if is_there:
        try:
            control = SqliteControl(file)
        except StoreError as error:
            findings = (wrong(error.message, error.hint or _FROM_BACKUP, str(file)),)
    try:
        yield control, findings
    finally:
        with suppress(StoreError):
            control.close()


_FROM_BACKUP: Final = "`wisen restore-backup` brings back a backup; the file stays as it is until then"


def _with_real_places(found: Health, copy: Path, data_dir: Path) -> Health:
    """Return the findings with the files named as they are, not as their copies."""

    def real(text: str) -> str:
        return text.replace(str(copy), str(data_dir))

    return replace(
        found,
        data=tuple(
            replace(one, what=real(one.what), where=real(one.where), next_step=real(one.next_step))
            for one in found.data
        ),
    )
