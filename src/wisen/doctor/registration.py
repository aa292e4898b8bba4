"""Do harness, hooks, command line and daemon belong together, and do the settings hold?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from wisen import __version__, lockfile
from wisen.client import PROTOCOL
from wisen.config import explain_settings, load_settings
from wisen.core import pauses
from wisen.core.findings import Finding
from wisen.core.pauses import Pause
from wisen.doctor.kinds import is_cleared, kind_wrong, socket_wrong
from wisen.doctor.patient import Patient
from wisen.doctor.report import Check, look, note, wrong
from wisen.engine.locate import LocateRules, is_excluded
from wisen.errors import InstallError, SettingsError
from wisen.install import manifest
from wisen.install.plan import HarnessStatus, Standing
from wisen.install.registry import HARNESSES
from wisen.state import failed_start, pausing

DISABLE: Final = "WISEN_DISABLE"  # read by hotpath.py, which a hook runs
_RESTART: Final = "`wisen daemon restart`"


def settings(patient: Patient) -> Check:
    """Can the settings be read, here and by the daemon?"""
    refused = tuple(_refused_by_the_daemon(patient))
    try:
        values = explain_settings(patient.paths, patient.env)
    except SettingsError as error:
        if _holds_in_file(patient):
            said = "good, but for a variable of this shell"
            step = "unset it here; what was started elsewhere does not see it"
            return Check(name="settings", said=said, findings=(look(error.message, step), *refused))
        step = _steps(error.hint, "`wisen config edit` opens the file")
        finding = wrong(error.message, step, str(patient.paths.config_file))
        return Check(name="settings", said="refused: nothing is learned or recalled", findings=(finding,))
    own = [value.name for value in values if value.origin != "default"]
    return Check(name="settings", said=f"changed: {', '.join(own)}" if own else "all as they come", findings=refused)


def _steps(first: str, second: str) -> str:
    """Return two next steps as one sentence, or a question and a sentence."""
    return f"{first}{'' if first.endswith('?') else ';'} {second}" if first else second


def _holds_in_file(patient: Patient) -> bool:
    """Whether the file alone, without this shell's variables, makes good settings."""
    try:
        load_settings(patient.paths, {})
    except SettingsError:
        return False
    return True


def _refused_by_the_daemon(patient: Patient) -> Iterator[Finding]:
    for trouble in patient.standing.of("settings"):
        yield wrong(
            f"the daemon refuses its settings, and learns and recalls nothing: {trouble.what}",
            "`wisen config edit`; a variable of the environment it was started in needs `wisen daemon restart`",
        )


def switches(patient: Patient) -> Check:
    """Has the user switched wisen off, or a part of it?"""
    try:
        held = pauses.in_force(pauses.settled(pausing.read(patient.paths), patient.now), patient.now)
        stray = pausing.strays(patient.paths, patient.now)
    except SettingsError as error:
        in_the_way = kind_wrong(pausing.files(patient.paths)[0], is_directory=False)
        finding = wrong(error.message, in_the_way.next_step if in_the_way else error.hint)
        return Check(name="switches", said="off", findings=(finding,))
    findings = (*_of_mark(patient, stray, is_paused=bool(held)), *map(_of_pause, held), *_of_settings(patient))
    return Check(name="switches", said="see below" if findings else "wisen is on", findings=findings)


def _of_mark(patient: Patient, stray: str, *, is_paused: bool) -> Iterator[Finding]:
    """Tell of hooks that go by another word than the record."""
    mark = pausing.files(patient.paths)[1]
    if not stray:
        return
    if in_the_way := kind_wrong(mark, is_directory=False):
        yield wrong(stray, in_the_way.next_step, str(mark))
    elif is_paused:
        yield look(stray, "`wisen pause` tells them, `wisen resume` ends it", str(mark))
    else:
        yield wrong(stray, "`wisen resume` mends it", str(mark))


def _of_pause(pause: Pause) -> Finding:
    where = "everywhere" if pause.is_everywhere else f"in {pause.place}"
    until = f" until {pause.until:%Y-%m-%d %H:%M} UTC" if pause.until else ""
    return note(f"paused by you {where}{until}: nothing is learned or recalled", "`wisen resume` ends it")


def _of_settings(patient: Patient) -> Iterator[Finding]:
    """Yield what is off by the settings or in this shell."""
    if patient.env.get(DISABLE) == "1":
        yield note(f"{DISABLE}=1 in this shell: sessions begun here go on without wisen", f"unset {DISABLE}")
    try:
        found = load_settings(patient.paths, patient.env)
    except SettingsError:
        return  # told as such
    if not found.learn:
        yield note("learning is off by your settings: no prompt becomes a memory", "`wisen config unset learn`")
    if not found.recall:
        yield note("recall is off by your settings: no agent is given a memory", "`wisen config unset recall`")
    if patient.cwd and is_excluded(LocateRules(login="", exclude=tuple(found.exclude)), patient.cwd):
        step = "`wisen config get exclude` shows by which; `wisen exclude --remove` takes one back"
        yield note(f"{patient.cwd} is excluded by your settings: nothing is learned or recalled there", step)


def hooks(patient: Patient) -> Check:
    """Are the hooks in each harness's settings those of this wisen, and can they run?"""
    findings: list[Finding] = []
    said = []
    for name, installer in HARNESSES.items():
        status, is_on_record = installer.status(patient.env, patient.paths), _is_on_record(patient, name)
        if status.standing is not Standing.ABSENT or is_on_record:  # who uses one harness does not want the others'
            said.append(f"{name}: {status.standing.value}")
            findings += _of_hooks(status, is_on_record=is_on_record)
    if not said:
        said.append("in no harness")
        findings.append(look("no harness has wisen", " or ".join(f"`wisen install {name}`" for name in HARNESSES)))
    try:
        _, problem = manifest.load(patient.paths)
    except InstallError as error:
        problem = error.message
    if problem:
        findings.append(_of_record(patient, problem))
    return Check(name="hooks", said=", ".join(said), findings=tuple(findings))


def _of_hooks(status: HarnessStatus, *, is_on_record: bool) -> Iterator[Finding]:
    again = status.next_step or f"`wisen install {status.harness}` mends it"
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


def _of_record(patient: Patient, problem: str) -> Finding:
    """Return the finding of a record that can't be read. Whoever is registered writes it anew."""
    file = manifest.path(patient.paths)
    found = [name for name, one in HARNESSES.items() if one.status(patient.env, patient.paths).standing in _REGISTERED]
    joint, verb = (" and ", "write" if len(found) > 1 else "writes") if found else (" or ", "writes")
    again = f"{joint.join(f'`wisen install {name}`' for name in found or HARNESSES)} {verb} it anew"
    in_the_way = kind_wrong(file.parent, is_directory=True) or kind_wrong(file, is_directory=False)
    return wrong(problem, f"{in_the_way.next_step}; then {again}" if in_the_way else again, str(file))


_REGISTERED: Final = frozenset({Standing.CURRENT, Standing.OUTDATED, Standing.BROKEN})


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
                _RESTART,
            )
        )
    if patient.silence:
        findings.append(
            wrong(f"it can't say how it stands: {patient.silence.message}", patient.silence.hint or _RESTART)
        )
    findings += [
        wrong(trouble.what, "`wisen daemon log` says more; `wisen daemon restart` begins afresh")
        for trouble in (*patient.standing.of("work"), *patient.standing.of("scanner"))
    ]
    return Check(name="daemon", said=f"wisen {found.version}, process {found.pid}", findings=tuple(findings))


def _without_daemon(patient: Patient) -> Check:
    runs = lockfile.holder(patient.paths.lock_file) is not None
    if in_the_way := socket_wrong(patient.paths):
        said = "runs and can't be reached" if runs else "does not run, and can't be started"
        return Check(name="daemon", said=said, findings=(in_the_way,))
    if runs:
        said = patient.absence.message if patient.absence else "it is silent"
        finding = wrong(said, f"{_RESTART} ends it and starts another")
        return Check(name="daemon", said="runs and does not answer", findings=(finding,))
    failed = failed_start.read(patient.paths)
    if failed is None:
        return Check(name="daemon", said="does not run; the next session starts it")
    said = f"its last start failed, at {failed.at:%Y-%m-%d %H:%M} UTC: {failed.message}"
    if is_cleared(patient.paths, failed):
        past = note(f"{said}; that is out of the way by now", "`wisen daemon start`, or the next session, starts it")
        return Check(name="daemon", said="does not run; the next session starts it", findings=(past,))
    failure = wrong(
        said,
        _steps(failed.hint, "`wisen daemon start` tries again"),
    )
    return Check(name="daemon", said="does not run", findings=(failure,))
