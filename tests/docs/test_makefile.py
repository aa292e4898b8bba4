"""What a newcomer's two commands do before they do anything: is git there, is the environment still good?"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here")


@pytest.fixture(params=["checkout", "a check out"])
def checkout(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A checkout with an environment that was made in it, and is newer than what it was made from."""
    top: Path = tmp_path / str(request.param)
    for name in ("Makefile", "pyproject.toml", "requirements/dev.lock", "scripts/bootstrap.sh"):
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, top / name)
        os.utime(top / name, (0, 0))
    programs = top / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "python").symlink_to(sys.executable)
    (top / ".venv" / ".wisen-stamp").write_text(f"{top.resolve()}\n")
    return top


def make(top: Path, *arguments: str, path: str = os.environ["PATH"]) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    command = [shutil.which("make") or "make", "--no-print-directory", *arguments]
    return subprocess.run(command, cwd=top, env={**env, "PATH": path}, capture_output=True, text=True, check=False)


def is_made_anew(top: Path) -> bool:
    return "bootstrap.sh" in make(top, "--dry-run", "lint").stdout


def test_a_good_environment_is_taken_as_it_is(checkout: Path) -> None:
    assert not is_made_anew(checkout)


def test_an_environment_whose_interpreter_is_gone_is_made_anew(checkout: Path) -> None:
    python = checkout / ".venv" / "bin" / "python"
    python.unlink()
    assert is_made_anew(checkout)
    python.symlink_to("/nowhere/python3")
    assert is_made_anew(checkout)


def test_an_environment_that_was_moved_is_made_anew(checkout: Path) -> None:
    elsewhere = checkout.with_name("elsewhere")
    checkout.rename(elsewhere)
    assert is_made_anew(elsewhere)


def test_a_changed_lock_file_renews_it(checkout: Path) -> None:
    os.utime(checkout / "requirements" / "dev.lock", (2**32, 2**32))
    assert is_made_anew(checkout)


@pytest.mark.parametrize("target", ["try", "test"])
def test_without_git_nothing_is_made_and_the_message_says_why(checkout: Path, tmp_path: Path, target: str) -> None:
    shutil.rmtree(checkout / ".venv")
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("sh", "cat", "grep", "sed", "expand"):
        if found := shutil.which(name):
            (programs / name).symlink_to(found)
    ran = make(checkout, target, path=str(programs))
    assert ran.returncode != 0
    assert ran.stderr.startswith("error: there is no git on PATH")
    assert "hint: install git" in ran.stderr
    assert not (checkout / ".venv").exists()


def test_clean_leaves_nothing_that_was_made(checkout: Path) -> None:
    for name in (".hypothesis", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".cache"):
        (checkout / name).mkdir()
    assert make(checkout, "clean").returncode == 0
    assert [path.name for path in checkout.iterdir() if path.name.startswith(".")] == []


def test_every_target_has_a_rule() -> None:
    text = (ROOT / "Makefile").read_text()
    [phony] = [line for line in text.splitlines() if line.startswith(".PHONY: help")]
    rules = {line.partition(":")[0] for line in text.splitlines() if line[:1].isalpha()}
    assert set(phony.split()[1:]) <= rules
