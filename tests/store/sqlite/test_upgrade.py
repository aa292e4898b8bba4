"""A file of every earlier version becomes one of this version: copied first, migrated once, nothing lost.

`earlier/` holds rows as each version wrote them.
"""

from __future__ import annotations

import re
import shutil
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.builders import T0, FrozenClock, a_graph, a_session
from tests.store.sqlite.killing import remains_of
from wisen.core.embeddings import Around, Space
from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor
from wisen.core.types import Status
from wisen.errors import StoreError
from wisen.store.migrate import newest_version, version_of
from wisen.store.sqlite.connection import Database
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.files import CONTROL, GRAPH, FileKind
from wisen.store.sqlite.graphs import SqliteGraphs
from wisen.store.sqlite.keeping import KEPT_COPIES, Upkeep

EARLIER = Path(__file__).with_name("earlier")


@dataclass(frozen=True)
class Home:
    """A data directory and the place for copies, as one version left them."""

    root: Path

    @property
    def control(self) -> Path:
        return self.root / "control.db"

    @property
    def graph(self) -> Path:
        return SqliteGraphs(self.root / "graphs", FrozenClock())._path(a_graph())

    @property
    def copies(self) -> Path:
        return self.root / "copies"

    def file(self, kind: FileKind) -> Path:
        return self.control if kind is CONTROL else self.graph

    def open_control(self) -> SqliteControl:
        return SqliteControl(self.control, Upkeep(now=FrozenClock().now, copies=self.copies))

    def open_graphs(self) -> SqliteGraphs:
        return SqliteGraphs(self.root / "graphs", FrozenClock(), copies=self.copies)


def write_earlier(home: Home, kind: FileKind, version: int) -> None:
    path = home.file(kind)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    with Database(path) as database:
        for script in sorted(kind.migrations.glob("*.sql"))[:version]:
            database.run(script.read_text(encoding="utf-8"))
        database.run((EARLIER / f"{kind.name}-{version:04}.sql").read_text(encoding="utf-8"))
        database.run(f"PRAGMA user_version = {version}")
        database.all("PRAGMA journal_mode = WAL")


def verify_graph(home: Home) -> None:
    graphs = home.open_graphs()
    store = graphs.open(a_graph())
    held = {m.text: m for m in store.list(MemoryFilter(statuses=frozenset(Status)))}
    assert held.keys() == {"We use pnpm here, not npm.", "Tests live in tests/unit."}
    assert (held["Tests live in tests/unit."].confidence, held["Tests live in tests/unit."].uses) == (1.0, 1)
    entries = store.journal()
    assert [(e.seq, e.action, e.undone_by, e.batch) for e in entries] == [
        (6, "purge", 0, ""),
        (5, "revert", 0, ""),
        (4, "edit", 5, ""),
        (3, "add", 0, ""),
        (2, "add", 0, ""),
        (1, "add", 0, ""),
    ]
    assert [hit.memory.title for hit in store.search(["pnpm"], MemoryFilter()).hits] == ["pnpm"]
    assert graphs.problems() == ()
    assert graphs.check() == []
    graphs.close()


def verify_control(home: Home) -> None:
    store = home.open_control()
    assert [e.event_id for e in store.events("claude-code", "session-1")] == ["event-1"]
    assert store.session("claude-code", "session-1") == a_session()
    assert [seq for seq, _ in store.signals_after("claude-code", "session-1", 0)] == [1]
    assert [job.kind for job in store.jobs()] == ["promote"]
    assert len(store.receipts()) == 1
    claim = store.root_claim(a_graph())
    assert claim is not None
    assert claim.root == "c0ffee"
    assert store.aliases() == {str(a_graph("a/a")): str(a_graph("b/b"))}
    assert store.counters() == {"lost": 3}
    assert store.problems() == ()
    assert store.check() == ()
    store.close()


VERIFY: dict[FileKind, Callable[[Home], None]] = {GRAPH: verify_graph, CONTROL: verify_control}
EVERY = [
    pytest.param(kind, version, id=f"{kind.name} {version}")
    for kind in (CONTROL, GRAPH)
    for version in range(1, newest_version(kind.migrations))
]


def stored_version(path: Path) -> int:
    with Database(path, read_only=True) as database:
        return version_of(database)


def test_there_are_rows_of_every_version_but_this_one() -> None:
    found = {path.stem for path in EARLIER.glob("*.sql")}
    assert found == {f"{param.values[0].name}-{param.values[1]:04}" for param in EVERY}  # type: ignore[union-attr]


@pytest.mark.parametrize(("kind", "version"), EVERY)
def test_a_file_of_an_earlier_version_keeps_everything_and_a_copy_of_it_is_made_first(
    tmp_path: Path, kind: FileKind, version: int
) -> None:
    home = Home(tmp_path)
    write_earlier(home, kind, version)

    for _ in range(2):  # opening it again changes nothing more
        VERIFY[kind](home)

    assert stored_version(home.file(kind)) == newest_version(kind.migrations)
    [copy] = home.copies.iterdir()
    assert re.fullmatch(rf"{home.file(kind).name}\.v{version}-\d{{8}}T\d{{6}}Z", copy.name)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.copies.stat().st_mode) == 0o700
    older = Home(tmp_path / "older")
    older.file(kind).parent.mkdir(parents=True)
    shutil.copy(copy, older.file(kind))
    assert stored_version(older.file(kind)) == version
    VERIFY[kind](older)


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.stress)])
@pytest.mark.parametrize(("kind", "version"), EVERY)
def test_a_process_that_is_killed_at_any_step_of_a_migration_is_repeated_and_loses_nothing(
    tmp_path: Path, kind: FileKind, version: int, every: int
) -> None:
    start = Home(tmp_path / "start")
    write_earlier(start, kind, version)
    stores = {
        CONTROL: "SqliteControl(path / 'control.db', Upkeep(now=FrozenClock().now, copies=path / 'copies'))",
        GRAPH: "SqliteGraphs(path / 'graphs', FrozenClock(), copies=path / 'copies').open(a_graph())",
    }
    code = f"""
        from wisen.store.sqlite.keeping import Upkeep

        def run(path):
            {stores[kind]}
    """
    remains = remains_of(code, start.root, tmp_path / "remains", statements=True, every=every)

    assert len(remains) > 15 / every
    versions = [stored_version(Home(each).file(kind)) for each in remains]
    assert versions == sorted(versions), "once it is migrated it stays so"
    assert {versions[0], versions[-1]} == {version, newest_version(kind.migrations)}
    for each, left_at in zip(remains, versions, strict=True):
        home = Home(each)
        copies = [*home.copies.glob("*Z")] if home.copies.exists() else []
        assert copies or left_at == version, "no change without a copy"
        VERIFY[kind](home)
        assert stored_version(home.file(kind)) == newest_version(kind.migrations)
        halfway = version < left_at < newest_version(kind.migrations)  # the rest of the way is a migration of its own
        assert len([*home.copies.iterdir()]) == 1 + halfway


def test_only_the_newest_copies_of_a_file_are_kept(tmp_path: Path) -> None:
    home = Home(tmp_path)
    clock = FrozenClock()
    for day in range(KEPT_COPIES + 2):
        home.control.unlink(missing_ok=True)
        write_earlier(home, CONTROL, 1)
        clock.at = T0.replace(day=day + 1)
        SqliteControl(home.control, Upkeep(now=clock.now, copies=home.copies)).close()
    (home.copies / "settings.json").touch()
    names = sorted(copy.name for copy in home.copies.glob("control.db*"))
    assert names == [f"control.db.v1-202611{day:02}T120000Z" for day in (3, 4, 5)]


@pytest.mark.parametrize(("kind", "version"), EVERY)
def test_a_file_that_can_not_be_copied_is_not_migrated(tmp_path: Path, kind: FileKind, version: int) -> None:
    home = Home(tmp_path)
    write_earlier(home, kind, version)
    home.copies.write_text("a file where the copies should go")
    before = home.file(kind).read_bytes()
    with pytest.raises(StoreError, match="copies"):
        VERIFY[kind](home)
    assert home.file(kind).read_bytes() == before
    home.copies.unlink()
    VERIFY[kind](home)


def test_a_new_file_needs_no_copy(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.open_control().close()
    graphs = home.open_graphs()
    graphs.open(a_graph())
    graphs.close()
    assert not home.copies.exists()


def test_what_filters_ask_of_a_recipe_is_known_of_one_that_an_earlier_version_wrote(tmp_path: Path) -> None:
    home = Home(tmp_path)
    write_earlier(home, GRAPH, 2)
    graphs = home.open_graphs()
    store = graphs.open(a_graph())
    assert [hit.memory.text for hit in store.search(["tests"], MemoryFilter()).hits] == ["Tests live in tests/unit."]
    assert store.search(["tests"], MemoryFilter(with_recipes=False)).hits == ()
    assert store.search(["tests"], MemoryFilter(programs=frozenset({"make"}))).hits == ()
    graphs.close()


def test_a_vector_that_an_earlier_version_kept_is_kept_and_found(tmp_path: Path) -> None:
    home = Home(tmp_path)
    write_earlier(home, GRAPH, 3)
    graphs = home.open_graphs()
    store = graphs.open(a_graph())
    space = Space(model="toy", digest="1", dimension=8)
    assert graphs.check() == []
    assert (store.spaces(), store.vectors(space)) == ({space: 1}, {1: bytes.fromhex("0000803f7f")})
    assert store.tokens(space, [1]) == {1: b"\x01\x02"}
    assert [passage.number for passage in store.unembedded(space, limit=9)] == [2]
    graphs.close()


def test_turns_that_an_earlier_version_wrote_are_in_the_order_of_their_conversation(tmp_path: Path) -> None:
    home = Home(tmp_path)
    write_earlier(home, GRAPH, 3)
    with Database(home.graph) as database:
        database.run("UPDATE passages SET session = 'session-1'")
    graphs = home.open_graphs()
    assert graphs.open(a_graph()).around([1, 2], reach=1) == {1: Around(after=(2,)), 2: Around(before=(1,))}
    graphs.close()


def test_a_change_of_an_earlier_version_and_its_checksum_stay_valid_beside_new_ones(tmp_path: Path) -> None:
    home = Home(tmp_path)
    write_earlier(home, GRAPH, 1)
    graphs = home.open_graphs()
    store = graphs.open(a_graph())
    [memory] = [m for m in store.list(MemoryFilter()) if m.title == "pnpm"]
    store.revert(5, actor=Actor.USER, batch="b")
    assert [e.seq for e in store.batch("b")] == [7]
    assert [e.undone_by for e in store.journal() if e.seq in {4, 5}] == [7, 0]
    assert store.get(memory.memory_id) != memory
    graphs.close()
