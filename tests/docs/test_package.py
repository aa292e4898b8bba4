"""What a release brings along: code and its documents, no word to anybody's agent."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# What harnesses read as instructions, in any directory; the directories that hold such files.
_FILES = {
    "claude.md",
    "claude.local.md",
    "agents.md",
    "gemini.md",
    "skill.md",
    ".cursorrules",
    ".windsurfrules",
    ".mcp.json",
}
_DIRECTORIES = {".claude", ".codex", ".gemini", ".opencode", ".cursor", "agents", "skills", "commands"}


@pytest.mark.fault("B34")
def test_a_release_holds_no_instructions_for_agents() -> None:
    hatch = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]
    shipped = [ROOT / part for part in (*hatch["wheel"]["packages"], *hatch["sdist"]["include"])]
    files = [file for part in shipped for file in ([part] if part.is_file() else part.rglob("*"))]
    assert len(files) > 100
    found = [
        str(file.relative_to(ROOT))
        for file in files
        if file.name.lower() in _FILES or _DIRECTORIES & {parent.name for parent in file.relative_to(ROOT).parents}
    ]
    assert found == []
