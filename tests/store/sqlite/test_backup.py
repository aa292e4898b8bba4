"""Everything is copied while it is in use, whole or not at all, and what is restored is what was copied."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.builders import T0, FrozenClock, a_graph, a_memory, a_session, a_user_graph
from tests.store.sqlite.killing import remains_of
from tests.store.sqlite.processes import line_of, started
from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor
from wisen.core.types import GraphId
from wisen.errors import Conflict, NotFound, StoreDamaged, StoreError, StoreTooNew
from wisen.store.codec import encode
from wisen.store.sqlite.backup import MANIFEST, backup_all, read_manifest, verify_backup
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.graphs import SqliteGraphs
from wisen.store.sqlite.restore import _stage, finish_restore, restore_backup

LATER = T0 + timedelta(days=1)
CODE = """
    import tests.builders
    from wisen.store.sqlite.restore import finish_restore, restore_backup
    from wisen.store.sqlite.backup import backup_all

    def run(path):
        {call}
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a data directory with a session and two graphs."""
    return filled(tmp_path / "data", "old", a_graph(), a_user_graph())


def filled(data: Path, words: str, *graphs: GraphId) -> Path:
    control = SqliteControl(data / "control.db")
    control.save_session(a_session(cwd=f"/{words}"))
    control.close()
    stores = SqliteGraphs(data / "graphs", FrozenClock())
    for graph in graphs:
        memory = a_memory(f"{words} rule of {graph}", graph=graph)
        stores.open(graph).add(memory, key=words, actor=Actor.USER, reason="")
    stores.close()
    return data


def contents(data: Path) -> tuple[str, dict[str, str]]:
    """Return what a data directory remembers."""
    control = SqliteControl(data / "control.db")
    session = control.session("claude-code", "session-1")
    control.close()
    stores = SqliteGraphs(data / "graphs", FrozenClock())
    graphs = {str(graph): stores.open(graph).list(MemoryFilter()) for graph in stores.graphs()}
    assert stores.problems() == ()
    stores.close()
    return session.cwd if session else "", {graph: memories[0].text for graph, memories in graphs.items() if memories}


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def everything_in(directory: Path) -> dict[str, bytes]:
    return {str(p.relative_to(directory)): p.read_bytes() for p in directory.rglob("*") if p.is_file()}


# --- making one -------------------------------------------------------------------------------------------------


def test_a_backup_says_what_it_holds_and_is_the_owners_only(data: Path, tmp_path: Path) -> None:
    target = tmp_path / "backups" / "one"
    old = os.umask(0)
    try:
        manifest = backup_all(data, target, at=T0)
    finally:
        os.umask(old)

    assert manifest == verify_backup(target)
    assert len(manifest.files) == 3
    assert manifest.counts["memories"] == manifest.counts["journal"] == 2
    assert manifest.counts["sessions"] == 1
    assert manifest.size == sum((target / file.name).stat().st_size for file in manifest.files)
    assert manifest.problems == ()
    assert {mode(each) for each in target.rglob("*") if each.is_file()} == {0o600}
    assert {mode(each) for each in (target, target.parent, target / "graphs")} == {0o700}
    assert {each.name for each in target.iterdir()} == {"control.db", "graphs", MANIFEST}


def test_what_is_in_the_log_of_an_open_file_is_in_the_backup(data: Path, tmp_path: Path) -> None:
    stores = SqliteGraphs(data / "graphs", FrozenClock())
    stores.open(a_graph()).add(a_memory("just now", pinned=True), key="k", actor=Actor.USER, reason="")
    backup_all(data, tmp_path / "backup", at=T0)
    assert contents(tmp_path / "backup")[1][str(a_graph())] == "just now"
    stores.close()


def test_a_backup_is_of_one_commit_while_another_process_writes(data: Path, tmp_path: Path) -> None:
    code = """
        store = SqliteGraphs(path / "graphs", FrozenClock()).open(a_graph())
        for n in range(3000):
            for half in ("one", "two"):  # always the same number of both, but between the two
                memory = a_memory(f"{half} {n}", memory_id=f"{half}-{n}")
                store.add(memory, key=f"{half}{n}", actor=Actor.USER, reason="")
            if n == 3:
                print("writing", flush=True)
    """
    writer = started(code, data)
    assert line_of(writer) == "writing"
    for n in range(3):
        backup_all(data, tmp_path / f"backup-{n}", at=T0)
    assert writer.poll() is None, "it was writing all the time"
    writer.kill()
    writer.communicate()
    sizes = []
    for n in range(3):
        verify_backup(tmp_path / f"backup-{n}")
        stores = SqliteGraphs(tmp_path / f"backup-{n}" / "graphs", FrozenClock())
        store = stores.open(a_graph())
        texts = [m.text for m in store.list(MemoryFilter(), limit=10_000)]
        ones, twos = (sum(text.startswith(half) for text in texts) for half in ("one", "two"))
        assert ones - twos in {0, 1}
        assert len(store.journal(limit=10_000)) == len(texts)
        assert store.check() == []
        sizes.append(len(texts))
        stores.close()
    assert sizes == sorted(sizes)


def test_a_backup_replaces_nothing(data: Path, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(Conflict):
        backup_all(data, tmp_path / "there", at=T0)
    assert [*(tmp_path / "there").iterdir()] == []


def test_a_backup_that_can_not_be_written_leaves_nothing(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(StoreError, match="No space left"):
            backup_all(data, tmp_path / "backups" / "one", at=T0)
    assert [*(tmp_path / "backups").iterdir()] == []


def test_a_killed_backup_leaves_none_or_a_whole_one(data: Path, tmp_path: Path) -> None:
    code = CODE.format(call="backup_all(path, path.parent.parent / 'made' / path.name, at=tests.builders.T0)")
    remains = remains_of(code, data, tmp_path / "remains")
    made = tmp_path / "made"
    whole = [each for each in remains if (made / each.name).exists()]
    assert whole
    assert len(whole) < len(remains)
    for each in whole:
        assert len(verify_backup(made / each.name).files) == 3
    backup_all(data, made / "next", at=T0)
    assert {each.name for each in made.iterdir()} == {"next", *(each.name for each in whole)}, "no draft is left"


def test_a_file_that_can_not_be_read_is_copied_as_it_is(data: Path, tmp_path: Path) -> None:
    damaged = SqliteGraphs(data / "graphs", FrozenClock())._path(a_graph())
    damaged.write_bytes(b"\xff" * 9000)
    manifest = backup_all(data, tmp_path / "backup", at=T0)
    [problem] = manifest.problems
    assert damaged.name in problem
    assert (tmp_path / "backup" / "graphs" / damaged.name).read_bytes() == b"\xff" * 9000
    assert verify_backup(tmp_path / "backup") == manifest


def test_backups_made_at_once_into_one_directory_are_all_made(data: Path, tmp_path: Path) -> None:
    def make(number: int) -> None:
        for n in range(4):
            backup_all(data, tmp_path / "made" / f"{number}-{n}", at=T0)

    with ThreadPoolExecutor(4) as threads:
        for made in [threads.submit(make, number) for number in range(4)]:
            made.result()
    assert len([verify_backup(each) for each in (tmp_path / "made").iterdir()]) == 16


def test_nobody_looks_for_left_drafts_while_one_is_made_but_not_yet_locked(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mkdir, kept_out = Path.mkdir, []

    def mkdir_and_look(self: Path, *args: Any, **kwargs: Any) -> None:
        mkdir(self, *args, **kwargs)
        if self.name.startswith(".one."):
            other = os.open(self.parent, os.O_RDONLY)
            with pytest.raises(BlockingIOError):
                fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.close(other)
            kept_out.append(self.name)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "mkdir", mkdir_and_look)
        backup_all(data, tmp_path / "one", at=T0)
    assert len(kept_out) == 1
    assert len(verify_backup(tmp_path / "one").files) == 3


@pytest.mark.parametrize("kind", ["file", "link", "dangling link"])
def test_what_is_only_named_like_a_draft_is_left_alone(data: Path, tmp_path: Path, kind: str) -> None:
    odd, elsewhere = tmp_path / ".x.wisen-draft", tmp_path / "elsewhere"
    if kind == "file":
        odd.touch()
    else:
        odd.symlink_to(elsewhere)
    if kind == "link":
        elsewhere.mkdir()
        (elsewhere / "precious").touch()
    backup_all(data, tmp_path / "backup", at=T0)
    assert os.path.lexists(odd)
    assert kind != "link" or (elsewhere / "precious").exists()


# --- verifying one ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("change", ["another byte", "cut off", "gone", "a link"])
def test_a_backup_of_which_a_file_is_another_is_refused(data: Path, tmp_path: Path, change: str) -> None:
    backup = tmp_path / "backup"
    backup_all(data, backup, at=T0)
    file = backup / "control.db"
    content = file.read_bytes()
    match change:
        case "another byte":
            file.write_bytes(content[:5000] + bytes([content[5000] ^ 1]) + content[5001:])
        case "cut off":
            file.write_bytes(content[:-1])
        case "gone":
            file.unlink()
        case _:
            file.rename(tmp_path / "elsewhere")
            file.symlink_to(tmp_path / "elsewhere")
    before = everything_in(data)
    with pytest.raises(StoreDamaged, match=r"control\.db") as caught:
        restore_backup(backup, data, keep=tmp_path / "kept", at=LATER)
    assert caught.value.hint
    assert everything_in(data) == before
    assert not (tmp_path / "kept").exists()


def test_what_is_no_backup_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        verify_backup(tmp_path)
    (tmp_path / MANIFEST).write_text("{}")
    with pytest.raises(StoreDamaged):
        verify_backup(tmp_path)


@pytest.mark.parametrize("name", ["../control.db", "/etc/passwd", "graphs/../../x.db", "manifest.json"])
def test_a_backup_names_no_file_outside_of_it(data: Path, tmp_path: Path, name: str) -> None:
    backup_all(data, tmp_path / "backup", at=T0)
    manifest = tmp_path / "backup" / MANIFEST
    manifest.write_text(manifest.read_text().replace('"control.db"', f'"{name}"'))
    with pytest.raises(StoreDamaged, match="no file"):
        verify_backup(tmp_path / "backup")


@pytest.mark.parametrize(("old", "new"), [('"format":1', '"format":2'), ('"version":3', '"version":99')])
def test_a_backup_of_a_newer_wisen_is_refused(data: Path, tmp_path: Path, old: str, new: str) -> None:
    backup_all(data, tmp_path / "backup", at=T0)
    manifest = tmp_path / "backup" / MANIFEST
    assert old in manifest.read_text()
    manifest.write_text(manifest.read_text().replace(old, new))
    with pytest.raises(StoreTooNew):
        verify_backup(tmp_path / "backup")


def rewritten(backup: Path, name: str, content: bytes) -> None:
    """Put another file into a backup by hand, and its checksum into the table of contents."""
    manifest = read_manifest(backup)
    (backup / name).write_bytes(content)
    entry = {"size": len(content), "sha256": sha256(content).hexdigest()}
    files = tuple(replace(file, **entry) if file.name == name else file for file in manifest.files)  # type: ignore[arg-type]
    (backup / MANIFEST).write_text(encode(replace(manifest, files=files)))


@pytest.mark.parametrize("content", [b"just words\n" * 500, b"", b"SQLite format 3\0" + b"\0" * 4080, "another kind"])
def test_a_backup_made_by_hand_of_what_is_no_file_of_ours_is_refused(
    data: Path, tmp_path: Path, content: bytes | str
) -> None:
    backup = tmp_path / "backup"
    [*_, graph] = [file.name for file in backup_all(data, backup, at=T0).files]
    rewritten(backup, graph, content if isinstance(content, bytes) else (backup / "control.db").read_bytes())
    with pytest.raises(StoreDamaged, match=graph):
        verify_backup(backup)


def test_a_backup_tells_what_is_in_its_files_whatever_its_table_of_contents_says(data: Path, tmp_path: Path) -> None:
    backup_all(data, tmp_path / "backup", at=T0)
    manifest = tmp_path / "backup" / MANIFEST
    manifest.write_text(manifest.read_text().replace('"memories":1', '"memories":3'))
    assert read_manifest(tmp_path / "backup").counts["memories"] == 6
    assert verify_backup(tmp_path / "backup").counts["memories"] == 2


# --- restoring one ----------------------------------------------------------------------------------------------


def test_a_restored_backup_is_what_was_copied_and_what_was_there_is_a_backup_itself(data: Path, tmp_path: Path) -> None:
    then = contents(data)
    backup_all(data, tmp_path / "backup", at=T0)
    shutil.rmtree(data)
    filled(data, "new", a_graph(), a_graph("acme/later"))
    now = contents(data)

    kept = restore_backup(tmp_path / "backup", data, keep=tmp_path / "kept", at=LATER)

    assert contents(data) == then
    assert kept == verify_backup(tmp_path / "kept")
    assert {mode(each) for each in data.rglob("*.db")} == {0o600}
    restore_backup(tmp_path / "kept", data, keep=tmp_path / "again", at=LATER)
    assert contents(data) == now
    assert {each.name for each in data.iterdir()} == {"control.db", "graphs"}


def test_a_backup_is_restored_where_nothing_is(data: Path, tmp_path: Path) -> None:
    then = contents(data)
    backup_all(data, tmp_path / "backup", at=T0)
    kept = restore_backup(tmp_path / "backup", tmp_path / "new", keep=tmp_path / "kept", at=LATER)
    assert kept.files == ()
    assert contents(tmp_path / "new") == then


def test_a_damaged_file_does_not_stop_a_restore_and_is_kept(data: Path, tmp_path: Path) -> None:
    then = contents(data)
    backup_all(data, tmp_path / "backup", at=T0)
    (data / "control.db").write_bytes(b"garbage" * 2000)
    kept = restore_backup(tmp_path / "backup", data, keep=tmp_path / "kept", at=LATER)
    assert len(kept.problems) == 1
    assert contents(data) == then
    assert (tmp_path / "kept" / "control.db").read_bytes() == b"garbage" * 2000


@pytest.mark.parametrize("name", ["control.db", "graph"])
def test_files_of_a_newer_wisen_do_not_stop_a_restore_and_are_kept_for_it(
    data: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    then = contents(data)
    backup_all(data, tmp_path / "backup", at=T0)
    newer = data / name if name == "control.db" else next((data / "graphs").glob("*.db"))
    with closing(sqlite3.connect(newer)) as database:
        database.execute("PRAGMA user_version=99")
    restore_backup(tmp_path / "backup", data, keep=tmp_path / "kept", at=LATER)
    assert contents(data) == then
    with pytest.raises(StoreTooNew, match=str(tmp_path / "kept")):
        restore_backup(tmp_path / "kept", data, keep=tmp_path / "again", at=LATER)
    with closing(sqlite3.connect(tmp_path / "kept" / newer.relative_to(data))) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (99,)
    monkeypatch.setattr("wisen.store.sqlite.backup.newest_version", lambda _: 99)
    assert verify_backup(tmp_path / "kept").counts["memories"] == 2


def test_an_error_names_no_draft_that_is_gone_when_it_is_read(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, content: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr("wisen.store.sqlite.backup.replace_file", full)
    with pytest.raises(StoreError, match="No space left") as caught:
        backup_all(data, tmp_path / "backup", at=T0)
    assert caught.value.message.startswith(f"{tmp_path / 'backup'}")
    assert "wisen-draft" not in caught.value.message


def test_the_log_of_what_was_there_is_not_taken_for_that_of_what_is_restored(data: Path, tmp_path: Path) -> None:
    then = contents(data)
    backup_all(data, tmp_path / "backup", at=T0)
    stores = SqliteGraphs(data / "graphs", FrozenClock())
    memory = a_memory("written later", pinned=True)
    stores.open(a_graph()).add(memory, key="k", actor=Actor.USER, reason="")
    crashed = tmp_path / "crashed"
    shutil.copytree(data, crashed)
    stores.close()
    assert [*crashed.rglob("*-wal")]
    restore_backup(tmp_path / "backup", crashed, keep=tmp_path / "kept", at=LATER)
    assert contents(crashed) == then
    assert contents(tmp_path / "kept")[1][str(a_graph())] == "written later"


def test_a_log_that_appears_late_is_not_taken_for_that_of_what_is_restored(data: Path, tmp_path: Path) -> None:
    then = contents(data)
    backup_all(data, tmp_path / "backup", at=T0)
    stores = SqliteGraphs(data / "graphs", FrozenClock())
    stores.open(a_graph()).add(a_memory("too late", pinned=True), key="k", actor=Actor.USER, reason="")
    crashed = tmp_path / "crashed"
    shutil.copytree(data, crashed)
    stores.close()
    _stage(tmp_path / "backup", verify_backup(tmp_path / "backup"), crashed)
    assert [*crashed.rglob("*-wal")]
    assert finish_restore(crashed)
    assert contents(crashed) == then


@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.stress)])
def test_a_restore_that_is_killed_has_not_begun_or_is_finished_by_whoever_comes_next(
    data: Path, tmp_path: Path, every: int
) -> None:
    start = tmp_path / "start"
    backup_all(data, start / "backup", at=T0)
    filled(start / "data", "new", a_graph(), a_graph("acme/later"))
    old, new = contents(data), contents(start / "data")
    code = CODE.format(call="restore_backup(path / 'backup', path / 'data', keep=path / 'kept', at=tests.builders.T0)")
    remains = remains_of(code, start, tmp_path / "remains", every=every)
    assert len(remains) > 30 / every
    found = []
    for each in remains:
        finish_restore(each / "data")
        found.append(contents(each / "data"))
        assert {part.name for part in (each / "data").iterdir()} == {"control.db", "graphs"}
        if found[-1] == old:
            assert contents(each / "kept") == new
    assert found == sorted(found, key=lambda one: one == old), "first as it was, from one step on as the backup is"
    assert (found[0], found[-1]) == (new, old)


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.stress)])
def test_a_finishing_that_is_killed_is_finished(data: Path, tmp_path: Path, every: int) -> None:
    backup_all(data, tmp_path / "backup", at=T0)
    start = filled(tmp_path / "start", "new", a_graph(), a_graph("acme/later"))
    _stage(tmp_path / "backup", verify_backup(tmp_path / "backup"), start)
    remains = remains_of(CODE.format(call="finish_restore(path)"), start, tmp_path / "remains", every=every)
    assert len(remains) > 12 / every
    for each in remains:
        finish_restore(each)
        assert contents(each) == contents(data)


def test_there_is_mostly_nothing_to_finish(data: Path) -> None:
    assert not finish_restore(data)
    assert not finish_restore(data / "nowhere")


def test_a_restored_backup_of_an_edited_memory_has_the_words_of_then(data: Path, tmp_path: Path) -> None:
    backup_all(data, tmp_path / "backup", at=T0)
    stores = SqliteGraphs(data / "graphs", FrozenClock())
    [memory] = stores.open(a_graph()).list(MemoryFilter())
    stores.open(a_graph()).update(replace(memory, text="edited"), actor=Actor.USER, action="edit", reason="")
    stores.close()
    restore_backup(tmp_path / "backup", data, keep=tmp_path / "kept", at=LATER)
    assert contents(data)[1][str(a_graph())] == memory.text
