"""The doctor over real files: every fault is seen and named with a next step, and nothing is changed by looking."""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Callable
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from tests.builders import T0, FrozenClock, a_graph, a_memory
from tests.doctor.patients import HEALTHY, Home
from wisen import lockfile
from wisen.compose import backups_of
from wisen.config import Paths
from wisen.core.findings import Severity
from wisen.core.pauses import Pause
from wisen.core.records import Actor
from wisen.doctor import copies, stores
from wisen.doctor.report import Standing
from wisen.engine.health import Health
from wisen.errors import DaemonUnavailable, StoreError, StoreTooNew
from wisen.install import manifest
from wisen.state import failed_start, pausing
from wisen.store.sqlite.connection import Database
from wisen.store.sqlite.graphs import SqliteGraphs


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
    files = (path for path in sorted(root.rglob("*")) if path.is_file() and path.suffix != ".db-shm")
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
    assert [finding.next_step for finding in home.findings("hooks")] == [
        "`wisen install claude-code` or `wisen install opencode`"
    ]
    assert list(home.root.iterdir()) == []


def test_looking_changes_no_byte_and_leaves_no_file(well: Home) -> None:
    before = contents(well.root)
    well.examined()
    assert contents(well.root) == before
    assert not list(well.paths.state_dir.glob(f"{stores.PREFIX}*"))


def test_the_copy_of_a_doctor_that_was_killed_goes_with_the_next(well: Home) -> None:
    left = well.paths.state_dir / f"{stores.PREFIX}dead"
    left.mkdir(mode=0o700)
    (left / "control.db").write_text("x")
    well.examined()
    assert not left.exists()


def test_a_doctor_leaves_the_copy_of_another_alone(well: Home) -> None:
    """Two doctors at once: the copy of one that is at work is locked, from before the other can see it."""
    with stores._room(well.paths) as copy:
        (copy / "control.db").write_text("x")
        assert well.examined()["memories"].standing is Standing.OK
        assert (copy / "control.db").exists()
    assert not copy.exists()


def test_the_copy_is_the_users_alone_under_any_umask(well: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    modes: set[int] = set()

    def look(paths: Paths, copy: Path, now: datetime) -> Health:
        modes.update(stat.S_IMODE(file.stat().st_mode) for file in copy.rglob("*") if file.is_file())
        return Health()

    monkeypatch.setattr(stores, "_examined", look)
    before = os.umask(0)
    try:
        well.examined()
    finally:
        os.umask(before)
    assert modes == {0o600}


def test_a_copy_of_files_in_use_is_of_one_moment(well: Home) -> None:
    """A daemon has them open, and what it wrote last is in the log alone."""
    lock = lockfile.take(well.paths.data_lock_file, "4711")
    assert lock is not None
    graphs = SqliteGraphs(well.paths.graphs_dir, FrozenClock())
    try:
        memory = a_memory("Use tabs.")
        graphs.open(a_graph()).add(memory, key="k", actor=Actor.USER, reason="")
        log = next(well.paths.graphs_dir.glob("*-wal"))
        before = contents(well.paths.graphs_dir)
        assert log.stat().st_size > 0
        assert well.examined()["memories"].said == "2 active, in 1 graph"
        assert contents(well.paths.graphs_dir) == before
    finally:
        graphs.close()
        os.close(lock)


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
    failed_start.note(home.paths, StoreError("disk is full", hint="make room"), T0)


def _deleted_graph(home: Home) -> None:
    next(home.paths.graphs_dir.glob("*.db")).unlink()


def _deleted_control(home: Home) -> None:
    (home.paths.state_dir / "memories-since").write_text("2026-01-01T00:00:00+00:00\n")
    home.paths.control_file.unlink()


def _of_a_newer_wisen(home: Home) -> None:
    change(next(home.paths.graphs_dir.glob("*.db")), "PRAGMA user_version = 99")


def _deleted_memory(home: Home) -> None:
    change(next(home.paths.graphs_dir.glob("*.db")), "DELETE FROM memories")


def _deleted_change(home: Home) -> None:
    change(next(home.paths.graphs_dir.glob("*.db")), "DELETE FROM journal")


def _damaged_backup(home: Home) -> None:
    backup = backups_of(home.paths).make()
    (backup.path / "control.db").write_bytes(b"x")


def _damaged_settings(home: Home) -> None:
    (home.root / ".claude" / "settings.json").write_text("{\n nope")


def _switched_off(home: Home) -> None:
    file = home.root / ".claude" / "settings.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"disableAllHooks": True}))


def change(file: Path, *statements: str) -> None:
    with Database(file) as database:
        for statement in statements:
            database.run(statement)


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
        (_bad_pauses, "switches", "can't be read, so wisen is off"),
        (_deleted_control, "memories", "what was said and not learned from yet"),
        (_deleted_graph, "memories", "is gone, and with it all memories in it"),
        (_of_a_newer_wisen, "memories", "version 99"),
        (_deleted_memory, "memories", "that the journal tells of is gone"),
        (_deleted_change, "memories", "are gone from the journal"),
        (_damaged_backup, "backups", "would not bring everything back"),
        (_damaged_settings, "hooks", "settings.json:2:2: not valid JSON"),
        (_switched_off, "hooks", "disableAllHooks is set"),
        (_damaged_control, "memories", "control.db"),
        (_damaged_graph, "memories", ".db"),
        (_empty_graph, "memories", ".db"),
        (_open_file, "files", "open to other users"),
        (_open_directory, "files", "open to other users"),
        (_full_spool, "spool", "it is full"),
        (_failed_start, "daemon", "its last start failed, at 2026-11-30 12:00 UTC: disk is full"),
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
    assert not any(stores.PREFIX in finding.what + finding.where + finding.next_step for finding in check.findings)


@pytest.mark.parametrize(
    ("spoil", "name", "step"),
    [
        (_damaged_settings, "hooks", "mend the file there"),
        (_switched_off, "hooks", "take `disableAllHooks` out of"),
        (_of_a_newer_wisen, "memories", "upgrade wisen"),
        (_deleted_graph, "memories", "`wisen restore-backup latest`"),
        (_damaged_graph, "memories", "`wisen doctor --mend`"),
        (_bad_settings, "settings", "? `wisen config edit` opens the file"),
        (_failed_start, "daemon", "make room; `wisen daemon start` tries again"),
    ],
)
def test_the_next_step_is_one_that_helps(well: Home, spoil: Callable[[Home], None], name: str, step: str) -> None:
    spoil(well)
    assert step in well.findings(name)[0].next_step


def test_a_damaged_page_is_told_of_the_file_as_it_lies_and_mended_only_when_asked(well: Home) -> None:
    file = next(well.paths.graphs_dir.glob("*.db"))
    content = bytearray(file.read_bytes())
    content[4096 * 3 : 4096 * 4] = bytes(4096)
    file.write_bytes(content)
    before = contents(well.paths.data_dir)
    [finding] = [one for one in well.findings("memories") if one.severity is Severity.ERROR]
    assert contents(well.paths.data_dir) == before
    assert (finding.where, "damaged (" in finding.what) == (str(file), True)
    assert "1 memories, 1 changes can be read" in finding.what
    assert "`wisen doctor --mend`" in finding.next_step


def test_a_bad_variable_of_this_shell_alone_is_no_fault_of_the_settings(well: Home) -> None:
    check = Home(well.root, more_env={"WISEN_LEARN": "maybe"}).examined()["settings"]
    assert (check.standing, check.said) == (Standing.LOOK, "good, but for a variable of this shell")
    assert "WISEN_LEARN" in check.findings[0].what
    assert "config.toml" not in repr(check)


@pytest.mark.parametrize(
    ("settings", "env", "said"),
    [
        ("learn = false", {}, "learning is off"),
        ("recall = false", {}, "recall is off"),
        ("exclude = ['/repo/*']", {}, "/repo/x is excluded"),
        ("", {"WISEN_DISABLE": "1"}, "WISEN_DISABLE=1 in this shell"),
    ],
)
def test_what_the_user_has_switched_off_is_told(well: Home, settings: str, env: dict[str, str], said: str) -> None:
    well.paths.config_file.write_text(settings)
    [finding] = Home(well.root, more_env=env, cwd="/repo/x").findings("switches")
    assert (finding.severity, said in finding.what) == (Severity.NOTE, True)
    assert Home(well.root).findings("switches") == () if said.startswith(("/repo", "WISEN")) else True


def test_of_many_backups_the_newest_are_read(well: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        backups_of(well.paths).make()
    assert well.examined()["backups"].said == "3 looked at"
    monkeypatch.setattr(copies, "READ_MAX_BYTES", 1)
    assert well.examined()["backups"].said.startswith("1 looked at; 2 older ones not")


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
    assert (checks["capture"].findings, "paused by you" in checks["switches"].findings[0].what) == ((), True)


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


def running(home: Home, *troubles: tuple[str, str]) -> Home:
    said = [{"of": of, "what": what} for of, what in troubles]
    home.answers = {"/v1/health": HEALTHY, "/v1/troubles": {"troubles": said}}
    return home


def test_with_a_daemon_the_memories_are_looked_at_all_the_same(well: Home) -> None:
    assert running(well).examined()["memories"].said == "1 active, in 1 graph"
    assert well.examined()["daemon"].said == "wisen 0.1.0, process 4711"


def test_work_that_fails_and_refused_settings_are_wrong_once(well: Home) -> None:
    troubles = (("settings", "no setting is called 'x'"), ("work", "the sweep fails: full"), ("spool", "2"))
    checks = running(well, *troubles).examined()
    assert [finding.what for finding in checks["daemon"].findings] == ["the sweep fails: full"]
    assert "no setting is called" in checks["settings"].findings[0].what
    assert checks["settings"].standing is Standing.WRONG


def test_a_daemon_of_another_version_is_worth_a_look(well: Home) -> None:
    running(well).answers["/v1/health"] = {**HEALTHY, "version": "0.0.9"}
    check = well.examined()["daemon"]
    assert (check.standing, check.findings[0].next_step) == (Standing.LOOK, "`wisen daemon restart`")


@pytest.mark.parametrize("answer", [StoreTooNew("version 99"), "nonsense"])
def test_a_daemon_that_can_not_say_how_it_stands_answers_all_the_same(well: Home, answer: object) -> None:
    running(well).answers["/v1/troubles"] = answer
    check = well.examined()["daemon"]
    assert (check.standing, check.said) == (Standing.WRONG, "wisen 0.1.0, process 4711")
    assert "can't say how it stands" in check.findings[0].what


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
