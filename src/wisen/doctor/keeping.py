"""Do the memories hold together, does the work get done, and is anything heard?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from wisen import steps
from wisen.config import load_settings
from wisen.core import pauses
from wisen.core.findings import Finding
from wisen.doctor import copies, stores
from wisen.doctor.kinds import kind_wrong
from wisen.doctor.patient import Patient
from wisen.doctor.report import Check, look, note, wrong
from wisen.engine.health import Health
from wisen.errors import SettingsError, WisenError
from wisen.install import manifest
from wisen.install.plan import Standing
from wisen.install.registry import HARNESSES
from wisen.state import beginning, pausing

QUIET_AFTER: Final = timedelta(days=14)


def examined(patient: Patient) -> tuple[Health | None, tuple[Finding, ...]]:
    """Return what a copy of the stores tells; or why there is none to be looked at."""
    paths = patient.paths
    places = (paths.data_dir, paths.graphs_dir, paths.state_dir)
    if in_the_way := [finding for one in places if (finding := kind_wrong(one, is_directory=True))]:
        return None, tuple(replace(one, next_step=f"{one.next_step}; then {steps.FROM_BACKUP}") for one in in_the_way)
    if not paths.data_dir.exists():
        return Health(), ()
    if not paths.state_dir.exists():
        return None, (wrong(_STATE_GONE, "`wisen daemon start` makes it anew", str(paths.state_dir)),)
    try:
        return stores.examined(patient.paths, patient.now), ()
    except WisenError as error:
        return None, (wrong(error.message, error.hint or "`wisen doctor --start` looks again with the daemon running"),)


_STATE_GONE: Final = "it is gone, and with it what was registered, the pauses and wisen's own backups"


def memories(patient: Patient, found: Health | None, why_not: tuple[Finding, ...]) -> Check:
    """Are all memories readable and whole, and does every count agree with what is there?"""
    if found is None:
        return Check(name="memories", said="not looked at", findings=copies.named_in(patient, why_not))
    said = ", ".join(f"{count} {status.replace('_', ' ')}" for status, count in sorted(found.memories.items()) if count)
    findings = copies.named_in(patient, (*found.data, *_of_deletion(patient)))
    return Check(
        name="memories",
        said=f"{said or 'none yet'}, in {found.graphs} graph{'' if found.graphs == 1 else 's'}",
        findings=findings,
    )


def _of_deletion(patient: Patient) -> Iterator[Finding]:
    """Tell of memories that somebody deleted: nothing from before comes back by itself."""
    if beginning.were_deleted(patient.paths) and next(patient.paths.graphs_dir.glob("*.db"), None):
        yield wrong(
            "it is gone, and with it what was said and not learned from yet, and all that was shown",
            f"{steps.FROM_BACKUP}; without one: `wisen daemon start` goes on with the memories, which are there",
            str(patient.paths.control_file),
        )
    elif beginning.were_deleted(patient.paths):
        anew = "the next session begins anew; " if manifest.names(patient.paths) else ""
        yield note(
            "the memories there were have been deleted",
            f"{anew}{steps.FROM_BACKUP}",
            str(patient.paths.data_dir),
        )


def work(found: Health | None) -> Check:
    """Does everything that is queued get done?"""
    if found is None:
        return Check(name="work", said="not looked at")
    jobs = {"queued": 0, "running": 0, "failed": 0} | dict(found.jobs)
    said = ", ".join(f"{jobs[state]} {state}" for state in ("queued", "running", "failed"))
    return Check(name="work", said=f"jobs: {said}", findings=found.work)


def capture(patient: Patient, found: Health | None) -> Check:
    """When was something last heard from each harness in which wisen is registered?"""
    if found is None:
        return Check(name="capture", said="not looked at")
    said: list[str] = []
    findings: list[Finding] = []
    for name, installer in HARNESSES.items():
        at = found.heard.get(name)
        said.append(f"{name}: last heard {at:%Y-%m-%d %H:%M} UTC" if at else f"{name}: never heard")
        if installer.status(patient.env, patient.paths).standing is Standing.CURRENT and not _is_paused(patient):
            findings += _of_silence(name, at, patient.now)
    if found.oldest_event_at:
        said.append(f"raw events since {found.oldest_event_at:%Y-%m-%d}{_retention(patient)}")
    return Check(name="capture", said="; ".join(said), findings=tuple(findings))


def _of_silence(harness: str, at: datetime | None, now: datetime) -> Iterator[Finding]:
    if at is None:
        yield look(
            f"{harness}: the hooks are registered, and none was ever heard",
            "start a new session and type something; those open at the installation go on without wisen",
        )
    elif now - at > QUIET_AFTER:
        yield look(
            f"{harness}: nothing was heard for {(now - at).days} days",
            "if there were sessions since, start one with WISEN_DEBUG=1: its hooks say what is in the way",
        )


def _is_paused(patient: Patient) -> bool:
    try:
        return bool(pauses.in_force(pausing.read(patient.paths), patient.now))
    except SettingsError:
        return True


def _retention(patient: Patient) -> str:
    try:
        return f", kept {load_settings(patient.paths, patient.env).retention_days} days"
    except SettingsError:
        return ""
