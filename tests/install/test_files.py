from __future__ import annotations

import os
import stat
from pathlib import Path
from unittest import mock

import pytest

from wisen.errors import Conflict, InstallError
from wisen.install import files


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "settings.json"
    made.write_bytes(b"old")
    made.chmod(0o640)
    return made


def names(directory: Path) -> set[str]:
    return {entry.name for entry in directory.iterdir()}


def test_a_file_is_replaced_with_its_mode(file: Path) -> None:
    files.write(files.read(file), b"new")
    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert names(file.parent) == {"settings.json"}


def test_a_new_file_is_private(tmp_path: Path) -> None:
    before = files.read(tmp_path / "a.json")
    assert before.data is None
    files.write(before, b"new")
    assert stat.S_IMODE((tmp_path / "a.json").stat().st_mode) == 0o600


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_a_file_keeps_its_owner(file: Path) -> None:
    os.chown(file, 12345, 54321)
    files.write(files.read(file), b"new")
    found = file.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (12345, 54321, 0o640)


def test_a_link_stays_a_link_and_its_target_is_replaced(file: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "a.json").symlink_to("../b.json")
    (tmp_path / "b.json").symlink_to(file)
    files.write(files.read(home / "a.json"), b"new")
    assert (home / "a.json").readlink() == Path("../b.json")
    assert file.read_bytes() == b"new"
    assert names(home) == {"a.json"}


def test_a_link_that_leads_nowhere_yet_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "a.json").symlink_to("b.json")
    files.write(files.read(tmp_path / "a.json"), b"new")
    assert (tmp_path / "a.json").is_symlink()
    assert (tmp_path / "b.json").read_bytes() == b"new"


def test_a_loop_of_links_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").symlink_to("a.json")
    with pytest.raises(InstallError):
        files.read(tmp_path / "a.json")


@pytest.mark.parametrize("change", [b"changed", None])
def test_a_file_that_changed_since_it_was_read_is_left_alone(file: Path, change: bytes | None) -> None:
    before = files.read(file)
    if change is None:
        file.unlink()
    else:
        file.write_bytes(change)
    with pytest.raises(Conflict):
        files.write(before, b"new")
    with pytest.raises(Conflict):
        files.delete(before)
    assert files.read(file).data == change
    assert names(file.parent) <= {"settings.json"}


def test_a_file_that_appeared_since_is_left_alone(tmp_path: Path) -> None:
    before = files.read(tmp_path / "a.json")
    (tmp_path / "a.json").write_bytes(b"theirs")
    with pytest.raises(Conflict):
        files.write(before, b"new")
    assert (tmp_path / "a.json").read_bytes() == b"theirs"


@pytest.mark.parametrize("call", ["os.fsync", "os.fchmod", "pathlib.Path.replace"])
def test_a_write_that_fails_anywhere_leaves_the_old_file_and_nothing_else(file: Path, call: str) -> None:
    before = files.read(file)
    with mock.patch(call, side_effect=OSError(28, "No space left on device")), pytest.raises(InstallError) as caught:
        files.write(before, b"new")
    assert "No space left on device" in caught.value.message
    assert file.read_bytes() == b"old"
    assert names(file.parent) == {"settings.json"}


def test_the_old_file_is_whole_until_the_new_one_is_on_the_disk(file: Path) -> None:
    """Nothing is opened for writing in place: the content is flushed before the name moves."""
    steps = []
    real_fsync, real_replace = os.fsync, Path.replace

    def fsync(descriptor: int) -> None:
        steps.append(("fsync", file.read_bytes()))
        real_fsync(descriptor)

    def replace(source: Path, target: Path) -> Path:
        steps.append(("replace", source.read_bytes()))
        return real_replace(source, target)

    with mock.patch("os.fsync", fsync), mock.patch.object(Path, "replace", replace):
        files.write(files.read(file), b"new")
    assert steps == [("fsync", b"old"), ("replace", b"new"), ("fsync", b"new")]


def test_a_write_protected_file_is_left_alone(file: Path) -> None:
    """Root may write everything, so what the system would say is played."""
    with mock.patch("os.access", return_value=False), pytest.raises(InstallError, match="write-protected"):
        files.write(files.read(file), b"new")
    assert file.read_bytes() == b"old"


def test_a_directory_that_can_not_be_written_is_named(file: Path) -> None:
    refusal = PermissionError(13, "Permission denied")
    with (
        mock.patch("os.open", side_effect=refusal),
        pytest.raises(InstallError, match=r"settings\.json can't be written: Permission denied"),
    ):
        files.write(files.read(file), b"new")


@pytest.mark.parametrize("kind", ["directory", "pipe"])
def test_what_is_no_regular_file_is_refused(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "settings.json"
    if kind == "directory":
        place.mkdir()
    else:
        os.mkfifo(place)
    with pytest.raises(InstallError, match="not a regular file"):
        files.read(place)


def test_directories_are_made_private_and_go_only_when_they_are_empty(tmp_path: Path) -> None:
    missing = files.missing_dirs(tmp_path / "a" / "b" / "c")
    assert missing == (tmp_path / "a", tmp_path / "a" / "b", tmp_path / "a" / "b" / "c")
    files.make_dirs(missing)
    assert {stat.S_IMODE(one.stat().st_mode) for one in missing} == {0o700}
    (tmp_path / "a" / "theirs").touch()
    files.remove_empty_dirs(missing)
    assert names(tmp_path / "a") == {"theirs"}


def test_a_directory_that_can_not_be_made_is_named(file: Path) -> None:
    with pytest.raises(InstallError, match=r"settings\.json/a can't be made"):
        files.make_dirs([file / "a"])
