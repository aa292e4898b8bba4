from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from wisen.cli import newfile
from wisen.cli.newfile import new_file
from wisen.errors import Conflict, Refused


def test_a_file_is_there_whole_and_private_or_not_at_all(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        with new_file(tmp_path / "a", force=False) as file:
            file.write(b"x")
            assert not (tmp_path / "a").exists()
    finally:
        os.umask(old)
    assert (tmp_path / "a").read_bytes() == b"x"
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600
    with pytest.raises(TypeError), new_file(tmp_path / "b", force=False) as file:
        file.write("not bytes")  # type: ignore[call-overload]  # what fails in the middle
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_file_that_comes_up_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    with pytest.raises(Conflict), new_file(tmp_path / "a", force=False):
        (tmp_path / "a").write_text("theirs")
    assert (tmp_path / "a").read_text() == "theirs"
    with pytest.raises(Refused), new_file(tmp_path / "b", force=True):
        (tmp_path / "b").symlink_to(tmp_path / "a")
    assert (tmp_path / "a").read_text() == "theirs"


def test_not_even_one_that_comes_up_at_the_last_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(newfile, "check_free", lambda _, *, force: None)
    (tmp_path / "a").write_text("theirs")
    with pytest.raises(Conflict), new_file(tmp_path / "a", force=False):
        pass
    assert (tmp_path / "a").read_text() == "theirs"


def test_a_full_disk_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Refused, match="No space left") as error, new_file(tmp_path / "a", force=False):
        pass
    assert "make room" in error.value.hint
    assert list(tmp_path.iterdir()) == []
