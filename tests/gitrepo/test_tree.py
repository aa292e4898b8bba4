"""A file is in a work tree when it lies below its top, by no dots and no links that lead out."""

from __future__ import annotations

from pathlib import Path

from wisen.gitrepo import WorkTreeOnDisk


def test_a_work_tree_holds_its_files_and_nothing_else(tmp_path: Path) -> None:
    top = tmp_path / "shop"
    (top / "src").mkdir(parents=True)
    (top / "src" / "args.ts").touch()
    (tmp_path / "secret").touch()
    (top / "link").symlink_to(tmp_path / "secret")
    (top / "here").symlink_to(top / "src" / "args.ts")
    holds = {path: WorkTreeOnDisk().holds(str(top), path) for path in ("src/args.ts", "here", "src", "gone.ts")}
    assert holds == {"src/args.ts": True, "here": True, "src": False, "gone.ts": False}
    for path in ("link", "../secret", str(tmp_path / "secret")):
        assert WorkTreeOnDisk().holds(str(top), path) is False


def test_where_there_is_no_work_tree_nobody_can_tell(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for top in ("", str(tmp_path / "gone"), str(tmp_path / "file"), "a\0b"):
        assert WorkTreeOnDisk().holds(top, "x") is None
