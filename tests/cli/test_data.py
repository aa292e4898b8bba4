"""export and import-data over the daemon's real routes."""

from __future__ import annotations

import gzip
import io
import json
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.routes import Routes
from tests.cli.stage import FakeDaemon, Ran, Wisen
from tests.worlds import World, a_repo
from wisen.cli import incoming_file
from wisen.cli.app import Daemon
from wisen.cli.incoming_file import LARGEST_BYTES
from wisen.config import Paths, Settings, paths
from wisen.daemon.app import App, build_app
from wisen.daemon.in_force import Fixed
from wisen.store.sqlite.control import SqliteControl

RULE = "Use pnpm here, not npm."
Here = Callable[..., Ran]


class Switch:
    """Which world the command line talks to."""

    def __init__(self) -> None:
        self.apps: dict[str, App] = {}
        self.now = ""

    def to(self, name: str, world: World) -> None:
        self.apps.setdefault(name, build_app(Fixed(world.wisen), on_shutdown=lambda: None))
        self.now = name


@pytest.fixture
def switch(tmp_path: Path) -> Iterator[Switch]:
    switch = Switch()
    switch.to("old", a_world(tmp_path))
    yield switch
    for app in switch.apps.values():
        app.close()


def a_world(directory: Path, settings: Settings | None = None) -> World:
    world = World(settings)
    world.probe.known[str(directory)] = a_repo(str(directory))
    return world


@pytest.fixture
def here(switch: Switch, wisen: Wisen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Here:
    def connect(self: FakeDaemon, paths: Paths, *, start: bool) -> Daemon:
        return Routes(switch.apps[switch.now])

    monkeypatch.setattr(FakeDaemon, "connect", connect)
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, code: int = 0, **options: Any) -> Ran:
        ran = wisen(*arguments, **options)
        assert ran.code == code, (ran.out, ran.err)
        return ran

    return run


def test_memories_go_to_another_home_and_come_out_as_they_were(here: Here, switch: Switch, tmp_path: Path) -> None:
    here("remember", RULE)
    here("remember", "--everywhere", "Answer in German.")
    said = here("export", "--all", "-o", "a.jsonl")
    assert "Wrote 2 memories to a.jsonl" in said.out
    assert stat.S_IMODE((tmp_path / "a.jsonl").stat().st_mode) == 0o600
    switch.to("new", a_world(tmp_path))
    assert "2 new" in here("import-data", "a.jsonl").out
    here("export", "--all", "-o", "b.jsonl")
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    assert "2 here already" in here("import-data", "a.jsonl").out
    assert RULE in here("list").out


def test_an_export_to_standard_output_is_the_file_and_nothing_else(here: Here, tmp_path: Path) -> None:
    here("remember", RULE)
    out = here("export").out
    here("export", "-o", "a.jsonl")
    assert out.encode() == (tmp_path / "a.jsonl").read_bytes()
    assert here("export", "--graph", "repo://claude-code/github.com/acme/widgets").out == out


def test_many_memories_go_in_pages_and_come_in_batches(
    here: Here, switch: Switch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wisen.cli.data._PAGE_MEMORIES", 3)
    monkeypatch.setattr(incoming_file, "_BATCH_LINES", 4)
    for n in range(10):
        here("remember", f"Rule number {n}.")
    here("export", "-o", "a.jsonl")
    switch.to("new", a_world(tmp_path))
    told = json.loads(here("import-data", "a.jsonl", "--json").out)
    assert told["memories"] == {"added": 10, "same": 0, "kept": 0, "twin": 0, "put_away": 0, "erased": 0}
    here("export", "-o", "b.jsonl")
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def test_the_report_of_an_export_names_what_is_in_it(here: Here, tmp_path: Path) -> None:
    here("remember", RULE)
    said = json.loads(here("export", "-o", "a.jsonl", "--json").out)
    assert said["memories"] == 1
    assert said["bytes"] == (tmp_path / "a.jsonl").stat().st_size
    assert here("export", "--json", code=2).out == ""


def test_an_export_replaces_nothing_without_being_asked_and_follows_no_link(here: Here, tmp_path: Path) -> None:
    """Known fault B69, as far as a file is named at all."""
    here("remember", RULE)
    (tmp_path / "mine").write_text("mine")
    assert "--force" in here("export", "-o", "mine", code=4).err
    assert (tmp_path / "mine").read_text() == "mine"
    here("export", "-o", "mine", "--force")
    assert RULE in (tmp_path / "mine").read_text()
    (tmp_path / "link").symlink_to(tmp_path / "keys")
    for force in ((), ("--force",)):
        here("export", "-o", "link", *force, code=5)
        here("export", "-o", "no/such/place", *force, code=3)
        here("export", "-o", os.devnull, *force, code=5)
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "home") == ["link", "mine"]


def test_an_agent_neither_exports_nor_imports(here: Here, tmp_path: Path) -> None:
    here("remember", RULE)
    here("export", "-o", "a.jsonl")
    here("export", code=5, CLAUDECODE="1")
    here("import-data", "a.jsonl", code=5, CLAUDECODE="1")
    (tmp_path / "a.jsonl").unlink()


def test_a_line_that_cannot_be_used_is_named_and_the_exit_code_says_so(
    here: Here, switch: Switch, tmp_path: Path
) -> None:
    here("remember", RULE)
    here("export", "-o", "a.jsonl")
    head, *rest = (tmp_path / "a.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "b.jsonl").write_bytes(b"".join([head, b"{broken\n", b"\xff\xfe\n", b"\r\n", *rest]))
    switch.to("new", a_world(tmp_path))
    said = here("import-data", "b.jsonl", "--strict", code=5)
    assert "line 2" in said.out
    assert RULE not in here("list").out
    said = here("import-data", "b.jsonl", code=6)
    assert "line 2" in said.out
    assert "line 3: not UTF-8" in said.out
    assert "changed after it was exported" in said.out
    assert "1 new" in said.out


def test_a_cut_file_is_taken_in_as_far_as_it_goes_and_told(here: Here, switch: Switch, tmp_path: Path) -> None:
    here("remember", RULE)
    here("remember", "Commit small.")
    here("export", "-o", "a.jsonl")
    whole = (tmp_path / "a.jsonl").read_bytes()
    (tmp_path / "b.jsonl").write_bytes(whole[: len(whole) * 2 // 3])
    switch.to("new", a_world(tmp_path))
    said = here("import-data", "b.jsonl", code=6)
    assert "1 new" in said.out
    assert "it was cut" in said.out


def test_a_line_without_end_is_left_out_with_bounded_memory(
    here: Here, switch: Switch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(incoming_file, "LONGEST_LINE_BYTES", 5000)
    here("remember", RULE)
    here("export", "-o", "a.jsonl")
    head, *rest = (tmp_path / "a.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "b.jsonl").write_bytes(b"".join([head, b"x" * 20_001 + b"\n", *rest]))
    switch.to("new", a_world(tmp_path))
    told = json.loads(here("import-data", "b.jsonl", "--json", code=6).out)
    assert [problem["line"] for problem in told["problems"]] == [2]
    assert told["memories"]["added"] == 1


def test_which_graph_is_which_is_told_before_and_after(here: Here, switch: Switch, tmp_path: Path) -> None:
    graph = "repo://claude-code/github.com/acme/widgets"
    alias = {"record": "alias", "old": "repo://claude-code/github.com/acme/was", "new": graph}
    (tmp_path / "a.jsonl").write_text(json.dumps(alias))
    for arguments in (("--dry-run",), ()):
        assert "(former names, first commits): 1 new" in here("import-data", "a.jsonl", *arguments).out
    assert "1 known already" in here("import-data", "a.jsonl").out


def test_an_import_beside_memories_can_be_taken_back_as_a_whole(
    here: Here, switch: Switch, tmp_path: Path, home: Path
) -> None:
    here("remember", RULE)
    here("export", "-o", "a.jsonl")
    switch.to("new", a_world(tmp_path))
    found = paths({"WISEN_HOME": str(home / "wisen")})
    SqliteControl(found.control_file).close()
    assert json.loads(here("import-data", "a.jsonl", "--dry-run", "--json").out)["backup"] is None
    said = here("import-data", "a.jsonl").out
    (made,) = found.backups_dir.iterdir()
    assert f"`wisen restore-backup {made.name}`" in said
    assert json.loads(here("import-data", "a.jsonl", "--json").out)["backup"] is None, "nothing was new"
    assert list(found.backups_dir.iterdir()) == [made]


@pytest.mark.parametrize("content", [b"", b"hello\n", b'{"a":1}\n', b"\x00\x01\x02\n", b"[" * 100_000])
def test_what_is_no_export_changes_nothing(here: Here, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x").write_bytes(content)
    ran = here("import-data", "x", code=2 if content.strip() and content[0] else 0 if not content else 2)
    assert "Traceback" not in ran.err


def a_pipe(place: Path) -> None:
    os.mkfifo(place)


def a_device(place: Path) -> None:
    place.symlink_to("/dev/zero")


def a_huge_file(place: Path) -> None:
    place.touch()
    os.truncate(place, LARGEST_BYTES + 1)  # it takes no room


def zeros(place: Path) -> None:
    place.write_bytes(bytes(10_000))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (Path.mkdir, "is a directory"),
        (a_pipe, "is a pipe"),
        (a_device, "is a device"),
        (a_huge_file, "is larger than"),
        (zeros, "is no text"),
    ],
)
@pytest.mark.parametrize("more", [(), ("--dry-run",), ("--strict",)])
def test_what_can_be_no_export_is_refused_before_it_is_read(
    here: Here, tmp_path: Path, make: Callable[[Path], None], said: str, more: tuple[str, ...]
) -> None:
    make(tmp_path / "x")
    ran = here("import-data", "x", *more, code=2)
    assert said in ran.err
    assert "hint: " in ran.err


@pytest.mark.parametrize("content", [bytes(10_000), b"x" * 3_000])
def test_standard_input_that_is_no_text_or_does_not_end_is_refused(
    here: Here, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    monkeypatch.setattr(incoming_file, "LARGEST_BYTES", 2_000)
    typed = io.TextIOWrapper(io.BytesIO(content))
    monkeypatch.setattr("tests.cli.conftest.io.StringIO", lambda _: typed)
    said = here("import-data", "-", code=2).err
    assert ("is no text" if 0 in content else "is larger than 2,000 bytes") in said


def test_a_piece_of_an_export_is_taken_in_from_standard_input(
    here: Here, switch: Switch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here("remember", RULE)
    lines = here("export").out.splitlines(keepends=True)
    [memory] = [line for line in lines if '"record":"memory"' in line]
    switch.to("new", a_world(tmp_path))
    typed = io.TextIOWrapper(io.BytesIO(memory.encode()))
    monkeypatch.setattr("tests.cli.conftest.io.StringIO", lambda _: typed)
    said = here("import-data", "-")
    assert "1 new" in said.out
    assert "only a part of an export" in said.out


def test_a_dry_run_changes_nothing(here: Here, switch: Switch, tmp_path: Path) -> None:
    here("remember", RULE)
    here("export", "-o", "a.jsonl")
    switch.to("new", a_world(tmp_path))
    said = here("import-data", "a.jsonl", "--dry-run")
    assert said.out.startswith("Nothing was changed.")
    assert RULE not in here("list").out


@pytest.mark.fault("B63")
def test_an_import_in_an_excluded_directory_is_refused(here: Here, switch: Switch, tmp_path: Path) -> None:
    """Known fault B63."""
    here("remember", RULE)
    here("export", "-o", "a.jsonl")
    switch.to("new", a_world(tmp_path, Settings(user_id="dev", exclude=(str(tmp_path),))))
    assert "excluded" in here("import-data", "a.jsonl", code=4).err
    assert "excluded" in here("export", code=4).err


def test_a_file_of_several_graphs_is_not_mixed_up_in_one(here: Here, tmp_path: Path) -> None:
    here("remember", RULE)
    here("export", "-o", "one.jsonl")
    here("import-data", "one.jsonl", "--into", "repo://claude-code/github.com/acme/other")
    here("export", "--all", "-o", "a.jsonl")
    said = here("import-data", "a.jsonl", "--into", "repo://claude-code/github.com/acme/third", code=2)
    assert "2 graphs" in said.err
    here("import-data", "a.jsonl", "--into", "repo://codex/github.com/acme/third", code=5)


def test_a_file_of_a_newer_format_is_read_as_far_as_it_is_known(here: Here, switch: Switch, tmp_path: Path) -> None:
    here("remember", RULE)
    newer = here("export").out.replace('"version":1', '"version":7')
    (tmp_path / "a.jsonl").write_text(newer)
    switch.to("new", a_world(tmp_path))
    said = here("import-data", "a.jsonl")
    assert "a newer wisen wrote it (version 7" in said.out
    assert "1 new" in said.out


def test_a_compressed_file_is_called_so(here: Here, tmp_path: Path) -> None:
    (tmp_path / "memories.jsonl.gz").write_bytes(gzip.compress(b'{"format":"wisen-export"}'))
    ran = here("import-data", "memories.jsonl.gz", code=2)
    assert "compressed with gzip" in ran.err
    assert "gunzip" in ran.err
