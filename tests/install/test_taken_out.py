"""That the user took wisen out of a harness is known while the state directory stands, and leaves no trace else."""

from __future__ import annotations

from pathlib import Path

import pytest

from wisen.config import Paths, paths
from wisen.install import taken_out


@pytest.fixture
def where(tmp_path: Path) -> Paths:
    return paths({"WISEN_HOME": str(tmp_path / "w")})


def test_each_harness_is_known_until_it_is_put_in_again(where: Paths) -> None:
    where.state_dir.mkdir(parents=True)
    for harness in ("claude-code", "codex", "codex"):
        taken_out.note(where, harness)
    taken_out.clear(where, "codex")
    assert taken_out.is_noted(where, "claude-code")
    assert not taken_out.is_noted(where, "codex")
    taken_out.clear(where, "claude-code")
    assert list(where.state_dir.iterdir()) == []


def test_no_directory_is_made_for_it(where: Paths) -> None:
    taken_out.note(where, "claude-code")
    taken_out.clear(where, "claude-code")
    assert not taken_out.is_noted(where, "claude-code")
    assert not where.state_dir.exists()
