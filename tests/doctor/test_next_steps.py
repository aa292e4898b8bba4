"""Whatever the doctor says to do can be typed as it stands, and ends what it was said of."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.builders import T0, a_graph
from tests.doctor import test_examination as faults
from tests.doctor.following import Follower
from tests.doctor.patients import Home
from wisen.compose import backups_of
from wisen.core.findings import Severity
from wisen.core.pauses import Pause
from wisen.daemon.lifecycle import claim
from wisen.daemon.stop import Stop
from wisen.errors import Conflict, Refused
from wisen.install import manifest
from wisen.state import failed_start, pausing
from wisen.store.sqlite.connection import Database
from wisen.store.sqlite.lost import LEDGER

Spoil = Callable[[Home], None]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    root = tmp_path / "a home & it's $HOME"
    root.mkdir(mode=0o700)
    home = Home(root)
    home.install()
    home.remember("Use pnpm here, not npm.", "Use tabs.")
    return home


@pytest.fixture
def follower(home: Home, capsys: pytest.CaptureFixture[str]) -> Iterator[Follower]:
    follower = Follower(home, capsys)
    yield follower
    follower.stop(home.paths)


def graph_file(home: Home) -> Path:
    return next(home.paths.graphs_dir.glob("*.db"))


def something_else_at(name: str) -> Spoil:
    """Return what puts a directory where wisen keeps a file, or a file where it keeps a directory."""

    def spoil(home: Home) -> None:
        place: Path = getattr(home.paths, name)
        is_directory = place.is_dir() or name.endswith("_dir")
        if place.is_dir():
            shutil.rmtree(place)
        place.unlink(missing_ok=True)
        if is_directory:
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            place.write_text("x")
            place.chmod(0o600)
        else:
            (place / "kept").mkdir(parents=True, mode=0o700)
            place.chmod(0o700)

    spoil.__name__ = f"something else is at {name}"
    return spoil


def _graph_is_a_directory(home: Home) -> None:
    file = graph_file(home)
    file.unlink()
    file.mkdir(mode=0o700)


def _pauses_are_a_directory(home: Home) -> None:
    (home.paths.state_dir / pausing.FILE / "x").mkdir(parents=True, mode=0o700)


def _mark_is_a_directory(home: Home) -> None:
    (home.paths.state_dir / pausing.MARK / "x").mkdir(parents=True, mode=0o700)


def _mark_is_left(home: Home) -> None:
    (home.paths.state_dir / pausing.MARK).write_text("inf\n")


def _mark_is_garbage(home: Home) -> None:
    (home.paths.state_dir / pausing.MARK).write_text("?")


def _mark_is_gone(home: Home) -> None:
    pausing.pause(home.paths, Pause(since=T0))
    (home.paths.state_dir / pausing.MARK).unlink()


def _record_is_damaged(home: Home) -> None:
    manifest.path(home.paths).write_text("{")


def _record_is_a_directory(home: Home) -> None:
    manifest.path(home.paths).unlink()
    manifest.path(home.paths).mkdir(mode=0o700)


def _stray_file(home: Home) -> None:
    (home.paths.graphs_dir / "foo.db").write_bytes(b"x" * 200)
    (home.paths.graphs_dir / "foo.db").chmod(0o600)


def _no_head(home: Home) -> None:
    file = graph_file(home)
    file.write_bytes(bytes(100) + file.read_bytes()[100:])


def _does_not_say_whose(home: Home) -> None:
    faults.change(graph_file(home), "DELETE FROM facts")


def _under_another_name(home: Home) -> None:
    graph_file(home).rename(home.paths.graphs_dir / "0123456789abcdef01234567.db")


def _says_it_is_of_another(home: Home) -> None:
    faults.change(graph_file(home), "UPDATE facts SET value = replace(value, 'widgets', 'gadgets')")


def _damaged_row(home: Home) -> None:
    faults.change(graph_file(home), "UPDATE memories SET checksum = checksum + 1 WHERE number = 1")


def _damaged_change(home: Home) -> None:
    faults.change(graph_file(home), "UPDATE journal SET checksum = checksum + 1 WHERE seq = 1")


def _no_tables(home: Home) -> None:
    faults.change(home.paths.control_file, "DROP TABLE events")
    faults.change(graph_file(home), "DROP TABLE natural_keys")


def _twins(home: Home) -> None:
    home.remember("Use pnpm here, not npm.")


def _open_in_two_places(home: Home) -> None:
    for file in (home.paths.control_file, graph_file(home), manifest.path(home.paths), home.paths.state_dir):
        file.chmod(0o755)


def _damaged_spool(home: Home) -> None:
    (home.paths.spool_dir / "1.damaged").touch(mode=0o600)


def _set_aside(home: Home) -> None:
    aside = graph_file(home).with_name(graph_file(home).name + ".damaged-20261130T120000Z")
    aside.touch(mode=0o600)
    aside.with_name(aside.name + ".json").touch(mode=0o600)


def _damaged_graph_of_nobody(home: Home) -> None:
    """Garbage, and the note of whose file it was is gone as well."""
    faults._damaged_graph(home)
    (home.paths.graphs_dir / LEDGER).unlink()


def _state_is_gone(home: Home) -> None:
    shutil.rmtree(home.paths.state_dir)


PLACES = ["data_dir", "state_dir", "run_dir", "spool_dir", "backups_dir", "graphs_dir"]
PLACES += ["socket", "control_file", "lock_file", "data_lock_file", "log_file", "roots_file"]
MENDED_BY_ITS_STEP: list[Spoil] = [
    *map(something_else_at, PLACES),
    _graph_is_a_directory, _pauses_are_a_directory, _mark_is_a_directory, _mark_is_left, _mark_is_garbage,
    _mark_is_gone, _record_is_damaged, _record_is_a_directory, _stray_file, _no_head, _does_not_say_whose,
    _under_another_name, _says_it_is_of_another, _damaged_row, _damaged_change, _no_tables, _twins, _open_in_two_places,
    _damaged_spool, _set_aside, _state_is_gone, _damaged_graph_of_nobody,
    faults._no_hooks, faults._no_record, faults._record_of_others, faults._other_home, faults._other_python,
    faults._bad_pauses, faults._deleted_control, faults._deleted_graph, faults._deleted_memory, faults._deleted_change,
    faults._damaged_backup, faults._damaged_control, faults._damaged_graph, faults._empty_graph, faults._open_file,
    faults._open_directory, faults._failed_start,
]  # fmt: skip


OF_MEMORIES: list[Spoil] = [
    something_else_at("control_file"),
    _graph_is_a_directory, _damaged_row, _no_tables, faults._deleted_control, faults._deleted_graph,
    _damaged_graph_of_nobody, faults._deleted_memory, faults._damaged_control, faults._damaged_graph,
]  # fmt: skip


def name_of(spoil: Spoil) -> str:
    return spoil.__name__.strip("_")


@pytest.mark.slow
@pytest.mark.parametrize("spoil", MENDED_BY_ITS_STEP, ids=name_of)
def test_what_the_next_step_says_ends_what_it_was_said_of(follower: Follower, spoil: Spoil) -> None:
    spoil(follower.home)
    follower.does_all_that_is_said()


@pytest.mark.slow
@pytest.mark.parametrize("spoil", OF_MEMORIES, ids=name_of)
def test_with_a_backup_it_ends_it_too_and_no_memory_is_lost(follower: Follower, spoil: Spoil) -> None:
    backups_of(follower.home.paths).make()
    spoil(follower.home)
    follower.does_all_that_is_said()
    assert follower.home.examined()["memories"].said == "2 active, in 1 graph"


@pytest.mark.parametrize("spoil", [_damaged_graph_of_nobody, _no_head, faults._damaged_graph, faults._damaged_control])
def test_of_a_file_of_garbage_the_backup_is_named_and_without_one_it_is_not_forgotten(
    follower: Follower, spoil: Spoil
) -> None:
    """Whether or not it is known whose it was: what is moved away and missed by nobody is lost without a word."""
    backup = backups_of(follower.home.paths).make().path
    spoil(follower.home)
    [before] = [one for one in follower.home.findings("memories") if one.severity is Severity.ERROR]
    assert f"`wisen restore-backup latest` brings back the newest backup, {backup.name}" in before.next_step
    shutil.rmtree(backup)
    [step] = [one.next_step for one in follower.home.findings("memories") if one.severity is Severity.ERROR]
    assert "restore-backup" not in step
    follower.types(re.findall("`([^`]+)`", step)[0])
    [after] = [one for one in follower.home.findings("memories") if one.severity is Severity.ERROR]
    assert "kept until you delete it" in after.what


def test_a_backup_that_is_older_than_the_file_is_said_not_to_have_it(home: Home) -> None:
    file = graph_file(home)
    content = file.read_bytes()
    file.unlink()
    backups_of(home.paths).make()
    file.write_bytes(content[:100] + b"garbage" * 1000)
    [finding] = [one for one in home.findings("memories") if one.severity is Severity.ERROR]
    assert "is older than this file and does not have it" in finding.next_step


def a_link(place: Path) -> None:
    place.symlink_to("/nowhere")


@pytest.mark.parametrize("make", [Path.touch, Path.mkdir, a_link])
def test_what_lies_where_the_socket_belongs_is_wrong_until_it_is_gone(
    follower: Follower, make: Callable[[Path], None]
) -> None:
    home = follower.home
    home.paths.run_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    assert not home.findings("daemon")
    make(home.paths.socket)
    [before] = home.findings("daemon")
    assert (before.severity, before.where) == (Severity.ERROR, str(home.paths.socket))
    with pytest.raises(Conflict) as refused:
        claim(home.paths, stop=Stop())
    assert refused.value.hint == before.next_step
    failed_start.note(home.paths, refused.value, home.now)
    assert home.findings("daemon") == (before,)
    follower.types(re.findall("`([^`]+)`", before.next_step)[0])
    [after] = home.findings("daemon")
    assert (after.severity, "is out of the way by now" in after.what) == (Severity.NOTE, True)


def test_a_start_that_failed_for_something_else_is_wrong_though_nothing_is_in_the_way(home: Home) -> None:
    error = Refused(f"{home.paths.run_dir} is open to other users", hint="`chmod 700 x`")
    failed_start.note(home.paths, error, home.now)
    assert home.findings("daemon")[0].severity is Severity.ERROR


@pytest.mark.parametrize("count", [2, 9])
def test_only_what_is_wisens_is_closed_to_others(home: Home, count: int) -> None:
    """Data, state and run directory may have nothing above them in common but the root of the disk."""
    paths = home.paths
    for n in range(count):
        for directory in (paths.data_dir, paths.state_dir):
            (directory / f"{n}").touch()
            (directory / f"{n}").chmod(0o644)
    [finding] = home.findings("files")
    _, *named = shlex.split(finding.next_step.strip("`"))
    places = [Path(one) for one in named if one.startswith("/")]
    assert len(places) >= 2
    for place in places:
        assert place.is_relative_to(paths.data_dir) or place.is_relative_to(paths.state_dir)


def test_hooks_that_are_silent_without_a_pause_on_record_are_told_of_everywhere(follower: Follower) -> None:
    """The hooks read the mark alone, everything else the record."""
    _mark_is_left(follower.home)
    follower.types("wisen status")
    assert "no pause is on record" in follower.said
    follower.types("wisen resume")
    assert "On again." in follower.said
    assert not follower.home.findings("switches")


def test_where_a_file_has_the_name_of_the_graphs_directory_nobody_is_told_that_nothing_is_remembered(
    follower: Follower,
) -> None:
    something_else_at("graphs_dir")(follower.home)
    follower.types(f"wisen list --graph {a_graph()}")
    assert "-> 9" in follower.said
    assert "wisen keeps one there" in follower.said


def test_list_says_that_a_repositorys_file_was_damaged(follower: Follower) -> None:
    faults._empty_graph(follower.home)
    follower.types(f"wisen list --graph {a_graph()}")
    assert f"the file of {a_graph()} was set aside because it was damaged" in follower.said


def test_of_a_memory_that_is_lost_nobody_is_told_that_it_was_erased(follower: Follower) -> None:
    faults._deleted_memory(follower.home)
    with Database(graph_file(follower.home), read_only=True) as database:
        [(memory_id, *_), *_] = database.all("SELECT memory_id FROM journal")
    follower.types(f"wisen restore {memory_id} --graph {a_graph()}")
    assert "is lost, though nobody erased it" in follower.said


def test_an_alias_that_says_nothing_is_told_of(home: Home) -> None:
    faults.change(home.paths.control_file, "INSERT INTO aliases VALUES ('garbage', 'more', 1)")
    assert "aliases" in home.findings("memories")[0].what


def test_memories_without_a_natural_key_are_told_of(home: Home) -> None:
    faults.change(graph_file(home), "DELETE FROM natural_keys")
    assert f"2 memories of {a_graph()} have no natural key" in home.findings("memories")[0].what


def test_what_a_restore_put_right_is_not_said_to_keep_the_daemon_from_starting(follower: Follower) -> None:
    backups_of(follower.home.paths).make()
    faults._failed_start(follower.home)
    follower.types("wisen restore-backup latest")
    assert not follower.home.findings("daemon")
