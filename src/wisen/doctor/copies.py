"""Would a backup bring everything back? Each of wisen's own is read whole, the newest first, as far as time allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from wisen import steps
from wisen.compose import backups_of
from wisen.core.findings import Finding
from wisen.doctor.patient import Patient
from wisen.doctor.report import Check, look, wrong
from wisen.errors import NotFound, StoreTooNew, WisenError
from wisen.state.backups import Backup, Backups

READ_MAX_BYTES: Final = 1 << 30  # about three seconds


def backups(patient: Patient) -> Check:
    """Is every file of the backups what was written?"""
    found = backups_of(patient.paths)
    every = found.all()
    chosen = list(_affordable(every))
    findings = tuple(finding for backup in chosen for finding in _of_backup(found, backup))
    left = len(every) - len(chosen)
    said = f"{len(chosen)} looked at{f'; {left} older ones not: `wisen backup list`' if left else ''}"
    return Check(name="backups", said=said if every else "none", findings=findings)


def _affordable(every: Sequence[Backup]) -> Iterator[Backup]:
    """Yield the newest one, and older ones as long as all of them together are not too large to be read now."""
    read = 0
    for number, backup in enumerate(every):
        read += sum(file.size for file in backup.manifest.files) if backup.manifest else 0
        if number and read > READ_MAX_BYTES:
            return
        yield backup


def named_in(patient: Patient, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return findings whose next step, where it is to restore the newest backup, names it, or says that there is none.

    It says so too where the newest is older than the file: going back to it would not bring that file back.
    """
    if not any(steps.FROM_BACKUP in finding.next_step for finding in findings):
        return tuple(findings)
    newest = _newest(backups_of(patient.paths))
    return tuple(_named(finding, newest, patient.paths.data_dir) for finding in findings)


def _newest(backups: Backups) -> Backup | None:
    try:
        latest = backups.find("latest")
    except NotFound:
        return None
    return next((one for one in backups.all() if one.path == latest), None)


def _named(finding: Finding, newest: Backup | None, data_dir: Path) -> Finding:
    step = finding.next_step
    if newest is None or newest.manifest is None:
        step = step.replace(f"{steps.FROM_BACKUP}; without one: ", "there is no backup: ")
        return replace(finding, next_step=step.replace(f"; {steps.FROM_BACKUP}", "; there is no backup"))
    which = f"{steps.FROM_BACKUP}, {newest.path.name}"
    place = Path(finding.where)
    is_in = place.is_relative_to(data_dir) and place.relative_to(data_dir)
    held = {file.name for file in newest.manifest.files}
    if place.suffix == ".db" and is_in and str(is_in) not in held:
        which += ", which is older than this file and does not have it"
    step = step.replace(f"{steps.FROM_BACKUP}; without one: ", f"{steps.FROM_BACKUP}; without it: ")
    return replace(finding, next_step=step.replace(steps.FROM_BACKUP, which))


def _of_backup(backups: Backups, backup: Backup) -> Iterator[Finding]:
    step = f"`wisen backup rm {backup.path.name}` deletes it; `wisen backup` makes another"
    try:
        backups.verify(backup.path)
    except StoreTooNew as error:
        yield look(f"only a newer wisen can restore it: {error.message}", error.hint, str(backup.path))
    except WisenError as error:
        yield wrong(f"it would not bring everything back: {error.message}", step, str(backup.path))
