"""The command doctor: a checklist of what has to hold, with a next step for everything that does not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from wisen.cli.app import App
from wisen.cli.options import as_json
from wisen.cli.words import many

if TYPE_CHECKING:
    from wisen.core.findings import Finding
    from wisen.doctor.report import Check

WRONG_EXIT: Final = 1
_PATIENCE_S: Final = 120.0  # all memories are read and checked
ANSWER_S: Final = 3.0  # who it is, and how it stands, a daemon knows without looking
_LABEL_CHARS: Final = 16


@click.command("doctor")
@click.option("--start", is_flag=True, help="Start the daemon first if it does not run.")
@click.option("--mend", is_flag=True, help="First have the daemon set damaged files aside and make a wrong index anew.")
@as_json
@click.pass_obj
def doctor(app: App, *, start: bool, mend: bool, as_json: bool) -> None:
    """Check that everything is as it should be.

    Looks at the hooks, the settings, what is switched off, the daemon, every memory's checksum, the backups, the work
    queue, what was last heard, the files and the disk, with or without a daemon. It looks at a copy of the memories and
    changes nothing, unless you say --mend. The exit code is 1 when something is wrong; what is only worth a look does
    not count.
    """
    from wisen.doctor.examination import examine
    from wisen.doctor.patient import Patient

    if start:
        app.get("/v1/health")

    def ask(path: str) -> object:
        return app.get(path, start=False, timeout_s=ANSWER_S)

    if mend:
        app.post("/v1/mend", timeout_s=_PATIENCE_S)
    checks = examine(Patient.of(app.env, app.paths, app.now(), ask, cwd=_cwd()))
    if as_json:
        app.screen.json(_as_json(checks))
    else:
        _print(app, checks)
    if not _is_well(checks):
        raise click.exceptions.Exit(WRONG_EXIT)


def _cwd() -> str:
    try:
        return str(Path.cwd())
    except OSError:  # it was deleted
        return ""


def _is_well(checks: Sequence[Check]) -> bool:
    return all(check.standing.value != "wrong" for check in checks)


def _as_json(checks: Sequence[Check]) -> dict[str, object]:
    return {
        "ok": _is_well(checks),
        "checks": [
            {
                "name": check.name,
                "standing": check.standing.value,
                "said": check.said,
                "findings": [
                    {"what": one.what, "where": one.where, "severity": one.severity.value, "next_step": one.next_step}
                    for one in check.findings
                ],
            }
            for check in checks
        ],
    }


def _print(app: App, checks: Sequence[Check]) -> None:
    from wisen.core.findings import Severity
    from wisen.doctor.report import count

    for check in checks:
        app.screen.fields([(f"{check.standing.value:5} {check.name}", check.said)], indent=0, label_chars=_LABEL_CHARS)
        for finding in check.findings:
            _print_finding(app, finding)
    wrong, to_see = count(checks, Severity.ERROR), count(checks, Severity.WARNING)
    app.screen.line()
    if wrong:
        app.screen.line(f"{many(wrong, 'thing is', 'things are')} wrong.", tone="bad")
    else:
        app.screen.line("Nothing is wrong.", tone="good")
    if to_see:
        app.screen.line(f"{many(to_see, 'thing is', 'things are')} worth a look.")


def _print_finding(app: App, finding: Finding) -> None:
    from wisen.core.findings import Severity

    what = finding.what.removeprefix(f"{finding.where}: ")
    app.screen.line(f"- {what}", indent=6, tone="bad" if finding.severity is Severity.ERROR else "plain")
    if finding.where and finding.where not in what:
        app.screen.line(finding.where, indent=8)  # a line of its own: a long path is not torn, and can be copied
    if finding.next_step:
        app.screen.line(f"next: {finding.next_step}", indent=8, tone="faint")


COMMANDS: Final = {"doctor": doctor}
