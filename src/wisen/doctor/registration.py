"""Do harness, hooks, command line and daemon belong together, and do the settings hold?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from wisen import __version__, lockfile
from wisen.client import log_tail
from wisen.config import explain_settings
from wisen.core import pauses
from wisen.core.findings import Finding
from wisen.doctor.patient import Patient
from wisen.doctor.report import Check, look, note, wrong
from wisen.errors import InstallError, SettingsError, WisenError
from wisen.install import manifest
from wisen.install.plan import HarnessStatus, Standing
from wisen.install.registry import HARNESSES
from wisen.state import pausing

PROTOCOL: Final = 1
_FAILED: Final = " ERROR wisen.daemon daemon_failed "


def settings(patient: Patient) -> Check:
    """Can the settings be read, here and by the daemon?"""
    try:
        values = explain_settings(patient.paths, patient.env)
    except SettingsError as error:
        step = " ".join(part for part in (error.hint, "`wisen config edit` opens the file") if part)
        said = wrong(error.message, step, str(patient.paths.config_file))
        return Check(name="settings", said="refused: nothing is learned or recalled", findings=(said,))
    own = [value.name for value in values if value.origin != "default"]
    findings = tuple(_refused_by_the_daemon(patient))
    return Check(name="settings", said=f"changed: {', '.join(own)}" if own else "all as they come", findings=findings)


def _refused_by_the_daemon(patient: Patient) -> Iterator[Finding]:
    if patient.standing.settings_refused:
        yield wrong(
            f"the daemon refuses its settings: {' '.join(patient.standing.problems[:1])}",
            "`wisen config edit`; a variable of the environment it was started in needs `wisen daemon restart`",
        )


def switches(patient: Patient) -> Check:
    """Has the user switched wisen off?"""
    try:
        held = pauses.in_force(pausing.read(patient.paths), patient.now)
    except SettingsError as error:
        return Check(name="pause", said="off", findings=(wrong(error.message, error.hint),))
    if not held:
        return Check(name="pause", said="wisen is on")
    findings = tuple(
        note(
            f"paused {'everywhere' if one.is_everywhere else f'in {one.place}'}"
            f"{f' until {one.until:%Y-%m-%d %H:%M} UTC' if one.until else ''}",
            "`wisen resume` ends it",
        )
        for one in held
    )
    return Check(name="pause", said="paused by you", findings=findings)


def hooks(patient: Patient) -> Check:
    """Are the hooks in each harness's settings those of this wisen, and can they run?"""
    findings: list[Finding] = []
    said = []
    for name, installer in HARNESSES.items():
        status = installer.status(patient.env, patient.paths)
        said.append(f"{name}: {status.standing.value}")
        findings += _of_hooks(status, is_on_record=_is_on_record(patient, name))
    try:
        _, problem = manifest.load(patient.paths)
    except InstallError as error:
        problem = error.message
    if problem:
        findings.append(wrong(problem, "`wisen install` writes it anew", str(manifest.path(patient.paths))))
    return Check(name="hooks", said=", ".join(said), findings=tuple(findings))


def _of_hooks(status: HarnessStatus, *, is_on_record: bool) -> Iterator[Finding]:
    again = f"`wisen install {status.harness}` mends it"
    match status.standing:
        case Standing.CURRENT:
            return
        case Standing.BROKEN:
            yield wrong(f"{status.harness}: {status.reason}", again, str(status.file))
        case Standing.OUTDATED:
            yield wrong(
                f"{status.harness}: {status.reason} (another version, another Python, or another place of its files)",
                again,
                str(status.file),
            )
        case Standing.ABSENT if is_on_record:
            yield wrong(f"{status.harness}: the hooks are gone from the settings", again, str(status.file))
        case Standing.ABSENT:
            yield look(f"{status.harness} is not registered", f"`wisen install {status.harness}`")


def _is_on_record(patient: Patient, harness: str) -> bool:
    try:
        return bool(manifest.load(patient.paths)[0].of(harness))
    except InstallError:
        return False


def daemon(patient: Patient) -> Check:
    """Does the daemon answer, is it of this version, and does all its work get done?"""
    if patient.running is None:
        return _without_daemon(patient)
    found, findings = patient.running, []
    if found.version != __version__ or found.protocol != PROTOCOL:
        findings.append(
            look(
                f"the daemon is wisen {found.version} (protocol {found.protocol}), this command is {__version__} "
                f"(protocol {PROTOCOL})",
                "`wisen daemon restart`",
            )
        )
    # What is wrong with settings and data has checks of its own; it is told once.
    work = [problem for problem in patient.standing.problems[patient.standing.settings_refused :] if _is_work(problem)]
    findings += [
        wrong(problem, "`wisen daemon log` says more; `wisen daemon restart` begins afresh") for problem in work
    ]
    return Check(name="daemon", said=f"wisen {found.version}, process {found.pid}", findings=tuple(findings))


def _is_work(problem: str) -> bool:
    return " fails: " in problem or "worker has stopped" in problem


def _without_daemon(patient: Patient) -> Check:
    if lockfile.holder(patient.paths.lock_file) is not None:
        said = patient.absence.message if patient.absence else "it is silent"
        return Check(
            name="daemon",
            said="runs and does not answer",
            findings=(wrong(said, "`wisen daemon restart` ends it and starts another"),),
        )
    try:
        last = log_tail(patient.paths, 1)
    except WisenError as error:
        return Check(name="daemon", said="does not run", findings=(wrong(error.message, error.hint),))
    if last and _FAILED in last[0]:
        failure = wrong(
            f"its last start failed: {last[0].partition(_FAILED)[2]}",
            "`wisen daemon start` tries again and says what is in its way",
        )
        return Check(name="daemon", said="does not run", findings=(failure,))
    return Check(name="daemon", said="does not run; the next session starts it")
