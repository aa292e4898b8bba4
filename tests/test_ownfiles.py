from __future__ import annotations

import errno
from pathlib import Path

import pytest

from wisen.errors import Refused
from wisen.ownfiles import draft_name, make_dir, make_private_dir, publish, refusal, replace_file, sync_dir


def test_a_private_directory_is_made_for_its_owner_only(tmp_path: Path) -> None:
    make_private_dir(tmp_path / "a" / "b")
    make_private_dir(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700


def test_a_directory_that_others_can_enter_is_refused(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir(mode=0o755)
    with pytest.raises(Refused):
        make_private_dir(tmp_path / "open")


def test_a_link_planted_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(Refused):
        make_private_dir(tmp_path / "link")


def test_a_file_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch(0o600)
    with pytest.raises(Refused):
        make_private_dir(tmp_path / "file")


def test_a_directory_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Refused, match="can't be made"):
        make_private_dir(tmp_path / "file" / "run")


def test_another_users_directory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_private_dir(tmp_path / "mine")
    monkeypatch.setattr("os.getuid", lambda: 4242)
    with pytest.raises(Refused, match="belongs to user"):
        make_private_dir(tmp_path / "mine")


@pytest.mark.parametrize(
    ("number", "hint"),
    [
        (errno.ENOSPC, "make room"),
        (errno.EDQUOT, "make room"),
        (errno.EISDIR, "out of the way"),
        (errno.ELOOP, "out of the way"),
        (errno.EACCES, "WISEN_HOME"),
        (errno.EROFS, "WISEN_HOME"),
    ],
)
def test_what_the_system_refuses_is_said_with_what_helps(number: int, hint: str) -> None:
    told = refusal(OSError(number, "the reason", "/home/dev/daemon.log"))
    assert told.message == "/home/dev/daemon.log: the reason"
    assert hint in told.hint


def test_what_the_system_refuses_without_a_file_is_still_a_sentence() -> None:
    assert refusal(OSError(errno.ENOSPC, "the reason")).message == "the reason"
    assert refusal(OSError("something")).message == "something"
    assert refusal(OSError(errno.ENOSPC, "the reason", b"/d\xe9"), "it can't be made").message == (
        "it can't be made: the reason"
    )


def test_directories_are_made_with_those_above_them_and_private_all(tmp_path: Path) -> None:
    make_dir(tmp_path / "a" / "b")
    make_dir(tmp_path / "a" / "b")
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("a", "a/b")] == [0o700, 0o700]


def test_every_new_name_of_a_directory_is_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[Path] = []
    monkeypatch.setattr("wisen.ownfiles.sync_dir", synced.append)
    make_dir(tmp_path / "a" / "b")
    assert synced == [tmp_path, tmp_path / "a"]


def test_a_file_in_the_way_of_a_directory_is_said(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    with pytest.raises(FileExistsError):
        make_dir(tmp_path / "a")


def test_a_directory_that_may_not_be_read_is_left_to_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError

    monkeypatch.setattr("os.open", refuse)
    sync_dir(Path("/"))


def test_a_directory_that_knows_no_flush_is_left_to_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    number = errno.EINVAL

    def refuse(_: int) -> None:
        raise OSError(number, "the reason")

    monkeypatch.setattr("os.fsync", refuse)
    sync_dir(tmp_path)
    number = errno.EIO
    with pytest.raises(OSError, match="the reason"):
        sync_dir(tmp_path)


def test_a_file_is_replaced_as_a_whole_or_stays_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # known fault B41: a crash between truncating and writing
    path = tmp_path / "x.json"
    replace_file(path, b"old")

    def crash(_: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", crash)
        with pytest.raises(OSError, match="Input/output"):
            replace_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
    replace_file(path, b"new")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o600)
    replace_file(path, b"for all", 0o644)
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_draft_that_a_killed_process_of_our_number_left_is_in_nobodys_way(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    draft_name(path).write_bytes(b"half of it")
    replace_file(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_content_and_name_are_on_disk_in_this_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    rename = Path.replace

    def replace(draft: Path, path: Path) -> None:
        done.append("rename")
        rename(draft, path)

    monkeypatch.setattr("wisen.ownfiles.sync_file", lambda _: done.append("content"))
    monkeypatch.setattr("wisen.ownfiles.sync_dir", lambda _: done.append("name"))
    monkeypatch.setattr(Path, "replace", replace)
    replace_file(tmp_path / "x", b"")
    assert done == ["content", "rename", "name"]


@pytest.mark.parametrize("links", [True, False], ids=["hard links", "no hard links"])
def test_a_file_is_published_in_nobodys_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    if not links:
        monkeypatch.setattr("os.link", refuse)
    draft, path = tmp_path / "draft", tmp_path / "x"
    draft.write_bytes(b"one")
    publish(draft, path, replace=False)
    assert path.read_bytes() == b"one"
    draft.write_bytes(b"two")
    if links:
        path.unlink()
        path.write_bytes(b"one")
    with pytest.raises(FileExistsError):
        publish(draft, path, replace=False)
    assert path.read_bytes() == b"one"
    publish(draft, path)
    assert path.read_bytes() == b"two"
