"""Would a backup bring everything back? Each of wisen's own is read whole, the newest first, as far as time allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from wisen.compose import backups_of
from wisen.core.findings import Finding
from wisen.doctor.patient import Patient
from wisen.doctor.report import Check, look, wrong
from wisen.errors import StoreTooNew, WisenError
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


def _of_backup(backups: Backups, backup: Backup) -> Iterator[Finding]:
    step = f"`wisen backup rm {backup.path.name}` deletes it; `wisen backup` makes another"
    try:
        backups.verify(backup.path)
    except StoreTooNew as error:
        yield look(f"only a newer wisen can restore it: {error.message}", error.hint, str(backup.path))
    except WisenError as error:
        yield wrong(f"it would not bring everything back: {error.message}", step, str(backup.path))
