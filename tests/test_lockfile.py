from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from wisen import lockfile

HOLD = "import sys; from pathlib import Path; from wisen import lockfile; lockfile.take(Path(sys.argv[1]), 'words'); "


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    return tmp_path / "a.lock"


def test_who_holds_it_is_told_in_their_words(lock: Path) -> None:
    assert lockfile.holder(lock) is None
    fd = lockfile.take(lock, "4711\n/run/s")
    assert fd is not None
    assert lockfile.holder(lock) == "4711\n/run/s"
    assert lock.stat().st_mode & 0o777 == 0o600
    os.close(fd)
    assert lockfile.holder(lock) is None


def test_only_one_has_it(lock: Path) -> None:
    first = lockfile.take(lock, "one")
    assert first is not None
    assert lockfile.take(lock, "other") is None
    assert lockfile.holder(lock) == "one"
    os.close(first)
    second = lockfile.take(lock, "2")
    assert second is not None
    assert lockfile.holder(lock) == "2", "nothing of the first one's longer words is left"
    os.close(second)


def test_a_process_that_was_killed_holds_nothing(lock: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD + "print('ready', flush=True); sys.stdin.read()", str(lock)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout
        process.stdout.readline()
        assert lockfile.holder(lock) == "words"
        process.kill()
        process.wait()
        assert lockfile.holder(lock) is None


def test_a_file_that_was_deleted_under_its_holder_does_not_count(lock: Path) -> None:
    first = lockfile.take(lock, "one")
    lock.unlink()
    assert lockfile.holder(lock) is None
    second = lockfile.take(lock, "two")
    assert first is not None
    assert second is not None
    os.close(first)
    os.close(second)


def test_a_link_is_not_followed(lock: Path) -> None:
    lock.symlink_to(lock.with_name("elsewhere"))
    with pytest.raises(OSError, match="symbolic links") as raised:
        lockfile.take(lock, "words")
    assert raised.value.filename == str(lock)
    assert not lock.with_name("elsewhere").exists()


def test_a_full_disk_names_the_file(lock: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(OSError, match="No space") as raised:
        lockfile.take(lock, "words")
    assert raised.value.filename == str(lock)
    assert lockfile.holder(lock) is None


@pytest.mark.parametrize("place", ["no/such/lock", "file/lock"])
def test_where_there_is_no_file_nobody_holds_it(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").touch()
    assert lockfile.holder(tmp_path / place) is None
