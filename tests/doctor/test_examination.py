"""The doctor over real files: every fault is seen and named with a next step, and nothing is changed by looking."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from tests.builders import T0
from tests.doctor.patients import HEALTHY, Home
from wisen import lockfile
from wisen.core.findings import Severity
from wisen.core.pauses import Pause
from wisen.doctor import offline
from wisen.doctor.report import Standing
from wisen.engine.health import Health
from wisen.errors import DaemonUnavailable, NotFound
from wisen.install import manifest
from wisen.state import pausing


@pytest.fixture
def home(tmp_path: Path) -> Home:
    tmp_path.chmod(0o700)
    return Home(tmp_path)


@pytest.fixture
def well(home: Home) -> Home:
    """A home where wisen is registered, remembers something and was heard."""
    home.install()
    home.remember("Use pnpm here, not npm.")
    return home


def standings(home: Home) -> dict[str, str]:
    return {name: check.standing.value for name, check in home.examined().items()}


def contents(root: Path) -> dict[str, str]:
    files = (path for path in sorted(root.rglob("*")) if path.is_file())
    return {str(path): sha256(path.read_bytes()).hexdigest() for path in files}


# --- nothing is wrong -------------------------------------------------------------------------------------------


@pytest.mark.row("H15")
def test_where_all_is_well_every_check_passes(well: Home) -> None:
    checks = well.examined()
    assert {check.standing for check in checks.values()} == {Standing.OK}, checks
    assert checks["memories"].said == "1 active, in 1 graph"
    assert "last heard 2026-11-30 12:00 UTC" in checks["capture"].said


def test_before_anything_was_set_up_nothing_is_wrong_and_nothing_is_made(home: Home) -> None:
    assert set(standings(home).values()) == {"ok", "look"}
    assert [finding.next_step for finding in home.findings("hooks")] == ["`wisen install claude-code`"]
    assert list(home.root.iterdir()) == []


def test_looking_changes_no_byte_and_leaves_no_file(well: Home) -> None:
    before = contents(well.root)
    well.examined()
    assert contents(well.root) == before
    assert not list(well.paths.state_dir.glob(f"{offline.PREFIX}*"))


def test_the_copy_of_a_doctor_that_was_killed_goes_with_the_next(well: Home) -> None:
    left = well.paths.state_dir / f"{offline.PREFIX}dead"
    left.mkdir(mode=0o700)
    (left / "control.db").write_text("x")
    well.examined()
    assert not left.exists()


# --- what can be wrong ------------------------------------------------------------------------------------------


def _no_hooks(home: Home) -> None:
    (home.root / ".claude" / "settings.json").write_text("{}")


def _no_record(home: Home) -> None:
    manifest.path(home.paths).unlink()


def _record_of_others(home: Home) -> None:
    file = manifest.path(home.paths)
    file.write_text(file.read_text().replace('"claude-code"', '"other"'))


def _other_home(home: Home) -> None:
    settings = home.root / ".claude" / "settings.json"
    settings.write_text(settings.read_text().replace(str(home.paths.socket), "/elsewhere/wisen.sock"))


def _other_python(home: Home) -> None:
    settings = home.root / ".claude" / "settings.json"
    settings.write_text(settings.read_text().replace("/hook.py", "/gone/hook.py"))


def _bad_settings(home: Home) -> None:
    home.paths.config_file.write_text("recal = true\n")


def _bad_pauses(home: Home) -> None:
    (home.paths.state_dir / pausing.FILE).write_text("{")


def _damaged_control(home: Home) -> None:
    home.paths.control_file.write_bytes(b"garbage" * 1000)


def _damaged_graph(home: Home) -> None:
    next(home.paths.graphs_dir.glob("*.db")).write_bytes(b"garbage" * 1000)


def _empty_graph(home: Home) -> None:
    next(home.paths.graphs_dir.glob("*.db")).write_bytes(b"")


def _open_file(home: Home) -> None:
    home.paths.control_file.chmod(0o644)


def _open_directory(home: Home) -> None:
    home.paths.data_dir.chmod(0o755)


def _full_spool(home: Home) -> None:
    (home.paths.spool_dir / "full").touch(mode=0o600)


def _failed_start(home: Home) -> None:
    home.paths.log_file.touch(mode=0o600)
    home.paths.log_file.write_text(
        "2026-11-30 11:00:00,000 ERROR wisen.daemon daemon_failed code=store error=full hint=room\n"
    )


@pytest.mark.row("C-S7")
@pytest.mark.row("H15")
@pytest.mark.parametrize(
    ("spoil", "name", "said"),
    [
        (_no_hooks, "hooks", "the hooks are gone from the settings"),
        (_no_record, "hooks", "installed.json is gone"),
        (_record_of_others, "hooks", "installed.json does not tell of them"),
        (_other_home, "hooks", "another place of its files"),
        (_other_python, "hooks", "which is gone"),
        (_bad_settings, "settings", "no setting is called 'recal'"),
        (_bad_pauses, "pause", "can't be read, so wisen is off"),
        (_damaged_control, "memories", "control.db"),
        (_damaged_graph, "memories", ".db"),
        (_empty_graph, "memories", ".db"),
        (_open_file, "files", "open to other users"),
        (_open_directory, "files", "open to other users"),
        (_full_spool, "spool", "it is full"),
        (_failed_start, "daemon", "its last start failed: code=store error=full"),
    ],
)
def test_each_fault_is_wrong_by_its_name_with_a_next_step(
    well: Home, spoil: Callable[[Home], None], name: str, said: str
) -> None:
    spoil(well)
    check = well.examined()[name]
    assert check.standing is Standing.WRONG
    wrong = [finding for finding in check.findings if finding.severity is Severity.ERROR]
    assert any(said in finding.what + finding.where for finding in wrong), wrong
    assert all(finding.next_step for finding in check.findings)
    assert not any(offline.PREFIX in finding.what + finding.where + finding.next_step for finding in check.findings)


def test_what_is_only_worth_a_look_does_not_count_as_wrong(well: Home) -> None:
    (well.paths.spool_dir / "1.damaged").touch(mode=0o600)
    assert well.examined()["spool"].standing is Standing.LOOK
    later = well.later(T0 + timedelta(days=20)).examined()["capture"]
    assert later.standing is Standing.LOOK
    assert "nothing was heard for 20 days" in later.findings[0].what


def test_registered_and_never_heard_is_worth_a_look_unless_paused(home: Home) -> None:
    home.install()
    assert "none was ever heard" in home.findings("capture")[0].what
    pausing.pause(home.paths, Pause(since=T0))
    checks = home.examined()
    assert (checks["capture"].findings, checks["pause"].said) == ((), "paused by you")


def test_the_last_error_of_the_log_is_shown_and_a_fresh_one_stands_out(well: Home) -> None:
    line = "{} 10:00:00,000 ERROR wisen.store.sqlite.group commit_failed reason=full\n"
    well.paths.log_file.touch(mode=0o600)
    well.paths.log_file.write_text(line.format("2026-11-30"))
    check = well.examined()["log"]
    assert (check.standing, "commit_failed" in check.findings[0].what) == (Standing.LOOK, True)
    well.paths.log_file.write_text(line.format("2026-10-30"))
    assert well.examined()["log"].standing is Standing.OK


def test_deleted_memories_are_no_fault_and_told(well: Home) -> None:
    (well.paths.state_dir / "memories-since").write_text("2026-01-01T00:00:00+00:00\n")
    shutil.rmtree(well.paths.data_dir)
    check = well.examined()["memories"]
    assert (check.standing, check.findings[0].severity) == (Standing.OK, Severity.NOTE)
    assert "have been deleted" in check.findings[0].what
    assert not well.paths.data_dir.exists()


@pytest.mark.skipif(os.getuid() == 0, reason="root writes everywhere")
def test_where_nothing_can_be_written_the_files_are_not_looked_at_and_that_is_wrong(well: Home) -> None:
    well.paths.state_dir.chmod(0o500)
    try:
        assert well.examined()["memories"].standing is Standing.WRONG
    finally:
        well.paths.state_dir.chmod(0o700)


# --- with a daemon ----------------------------------------------------------------------------------------------


def running(home: Home, **status: object) -> Home:
    home.answers = {"/v1/health": HEALTHY, "/v1/status": {"problems": [], **status}, "/v1/examination": {}}
    return home


def test_a_running_daemon_is_asked_and_its_files_are_left_alone(well: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offline, "examined", lambda *_: pytest.fail("looked into files that are in use"))
    running(well).answers["/v1/examination"] = {"memories": {"active": 7}, "graphs": 2}
    assert well.examined()["memories"].said == "7 active, in 2 graphs"
    assert well.examined()["daemon"].said == "wisen 0.1.0, process 4711"


def test_work_that_fails_and_refused_settings_are_wrong_once(well: Home) -> None:
    problems = ["no setting is called 'x'", "the sweep fails: StoreError: full", "control.db: row 3 is damaged"]
    checks = running(well, problems=problems, settings_refused=True).examined()
    assert [finding.what for finding in checks["daemon"].findings] == ["the sweep fails: StoreError: full"]
    assert "no setting is called" in checks["settings"].findings[0].what
    assert checks["settings"].standing is Standing.WRONG


@pytest.mark.parametrize("answer", [NotFound("no route"), "nonsense"])
def test_a_daemon_of_another_version_is_worth_a_look(well: Home, answer: object) -> None:
    running(well).answers |= {"/v1/health": {**HEALTHY, "version": "0.0.9"}, "/v1/examination": answer}
    checks = well.examined()
    assert (checks["daemon"].standing, checks["memories"].standing) == (Standing.LOOK, Standing.LOOK)
    assert checks["daemon"].findings[0].next_step == "`wisen daemon restart`"


def test_a_daemon_that_hangs_is_wrong(well: Home) -> None:
    lock = lockfile.take(well.paths.lock_file, "4711")
    assert lock is not None
    well.answers["/v1/health"] = DaemonUnavailable("did not answer within 10 s")
    try:
        check = well.examined()["daemon"]
    finally:
        os.close(lock)
    assert (check.standing, check.said) == (Standing.WRONG, "runs and does not answer")


def test_a_backlog_that_a_running_daemon_does_not_read_is_wrong(well: Home) -> None:
    entry = well.paths.spool_dir / "1.json"
    entry.touch(mode=0o600)
    assert running(well).examined()["spool"].standing is Standing.OK
    os.utime(entry, (0, 0))
    assert well.examined()["spool"].standing is Standing.WRONG


def test_an_empty_answer_is_an_empty_health(well: Home) -> None:
    assert running(well).examined()["work"].said == "jobs: 0 queued, 0 running, 0 failed"
    assert Health().memories == {}
