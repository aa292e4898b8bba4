from __future__ import annotations

import os
from pathlib import Path

import pytest

from wisen.gitrepo import GuidesOnDisk
from wisen.gitrepo.guides import MOST_BYTES


def said(top: Path) -> list[tuple[str, str]]:
    return [(one.file, one.text) for one in GuidesOnDisk().statements(str(top))]


def test_the_guides_at_the_top_are_read_with_what_they_take_in(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "CLAUDE.md").write_text("Use pnpm.\n\n@docs/style.md\n")
    (tmp_path / "docs" / "style.md").write_text("Tabs.\n\n@more.md\n")
    (tmp_path / "docs" / "more.md").write_text("No bare excepts.\n")
    (tmp_path / "AGENTS.md").write_text("Run the tests.\n")
    assert [one for one in said(tmp_path) if not one[1].startswith("@")] == [
        ("CLAUDE.md", "Use pnpm."),
        ("docs/style.md", "Tabs."),
        ("docs/more.md", "No bare excepts."),
        ("AGENTS.md", "Run the tests."),
    ]


def test_a_circle_ends_and_nothing_outside_of_the_work_tree_is_read(tmp_path: Path) -> None:
    top = tmp_path / "tree"
    top.mkdir()
    (tmp_path / "secret.md").write_text("The password is otter.\n")
    (tmp_path / "other").mkdir()
    (top / "CLAUDE.md").write_text("Use pnpm.\n\n@CLAUDE.md @../secret.md @~/secret.md @link.md @missing.md\n")
    (top / "link.md").symlink_to(tmp_path / "secret.md")
    assert [text for _, text in said(top) if "otter" in text] == []


def test_a_large_guide_is_read_to_its_bound(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("- word\n" * (MOST_BYTES // 7 + 100))
    (tmp_path / "AGENTS.md").write_text("Never read.\n")
    found = said(tmp_path)
    assert 0 < len(found) <= MOST_BYTES // 7 + 1
    assert ("AGENTS.md", "Never read.") not in found


@pytest.mark.parametrize("kind", ["fifo", "folder", "binary", "unreadable"])
def test_what_is_no_text_file_is_no_guide(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "CLAUDE.md"
    match kind:
        case "fifo":
            os.mkfifo(place)
        case "folder":
            place.mkdir()
        case "binary":
            place.write_bytes(b"\xff\xfe\x00\x00")
        case _:
            place.symlink_to("/proc/1/mem")
    assert all("CLAUDE" not in text for _, text in said(tmp_path))


def test_it_is_read_again_when_it_changes_or_another_one_comes(tmp_path: Path) -> None:
    guides = GuidesOnDisk()

    def texts() -> list[str]:
        return [one.text for one in guides.statements(str(tmp_path))]

    assert texts() == []
    (tmp_path / "CLAUDE.md").write_text("Use npm.\n")
    assert texts() == ["Use npm."]
    (tmp_path / "CLAUDE.md").write_text("Use pnpm.\n")
    assert texts() == ["Use pnpm."]
    (tmp_path / "AGENTS.md").write_text("Run the tests.\n")
    assert texts() == ["Use pnpm.", "Run the tests."]
    (tmp_path / "CLAUDE.md").unlink()
    assert texts() == ["Run the tests."]


def test_what_has_not_changed_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "CLAUDE.md").write_text("Use pnpm.\n")
    guides = GuidesOnDisk()
    first = guides.statements(str(tmp_path))
    monkeypatch.setattr(Path, "open", None)
    assert guides.statements(str(tmp_path)) is first


def test_no_work_tree_has_no_guide() -> None:
    assert GuidesOnDisk().statements("") == ()
    assert GuidesOnDisk().statements("/no/such/tree") == ()
