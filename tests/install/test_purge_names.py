"""Whatever any module makes in wisen's own directories, purging knows it: the names are read from the sources."""

from __future__ import annotations

import ast
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import wisen
from wisen.config import Paths, paths
from wisen.install.purge import remove_wisen_dirs
from wisen.ownfiles import draft_name, make_dir

ROOT = Path(wisen.__file__).parent
PLACES = ("data_dir", "state_dir", "run_dir", "spool_dir", "graphs_dir", "backups_dir")
DEEP = {"backups", "graphs", "plugin", "restoring", "examination-x"}
# Made and deleted with a registration: while one is left it tells how to undo that.
KEPT = {"installed.json"}


def made() -> Iterator[tuple[str, str]]:
    """Yield (place, name) of every `place / name` in the sources; what a name is made of is a letter here."""
    for file in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
                place = getattr(node.left, "attr", getattr(node.left, "id", ""))
                if place in PLACES and (name := name_of(node.right, file)):
                    yield place, name
            if isinstance(node, ast.Call):
                given = {one.arg: one.value for one in node.keywords}
                if "prefix" in given and "dir" in given:  # a temporary one
                    yield getattr(given["dir"], "attr", "state_dir"), f"{name_of(given['prefix'], file)}x"


def name_of(node: ast.expr, file: Path) -> str:
    """Return what an expression names; '' for what only its function knows."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(str(part.value) if isinstance(part, ast.Constant) else "x" for part in parts)
        case ast.Name() | ast.Attribute():
            module = import_module(".".join(("wisen", *file.relative_to(ROOT).with_suffix("").parts)))
            try:
                found = eval(ast.unparse(node), vars(module))  # our own sources
            except NameError:
                return ""
            return found if isinstance(found, str) else ""
        case _:
            return ""


NAMES = sorted(set(made()))


def test_the_names_are_found() -> None:
    assert {name for _, name in NAMES} >= {"pauses.json", "paused", "restoring", "memories-since", "examination-x"}


@pytest.fixture
def where(tmp_path: Path) -> Paths:
    return paths({"HOME": str(tmp_path), "WISEN_HOME": str(tmp_path / "w")}, platform="linux")


@pytest.mark.parametrize(("place", "name"), [one for one in NAMES if one[1] not in KEPT])
def test_what_a_module_makes_goes_also_when_it_is_a_directory_or_half_written(
    where: Paths, place: str, name: str
) -> None:
    file: Path = getattr(where, place) / name
    if name in {"run", "spool"}:
        file = file / "x"
    if name in DEEP:
        file = file / "graphs" / "abc.db"
    make_dir(file.parent)
    file.touch()
    if place == "state_dir" and name not in DEEP | {"daemon.lock"}:
        draft_name(file).touch()
    assert remove_wisen_dirs(where).left == ()
    assert not where.state_dir.exists()
    assert not where.data_dir.exists()


def test_a_file_that_an_earlier_wisen_had_half_written_goes_too(where: Paths) -> None:
    make_dir(where.state_dir)
    (where.state_dir / ".pauses.json.k2j9x.wisen").touch()
    assert remove_wisen_dirs(where).left == ()


def test_nothing_else_is_made_in_a_place_of_its_own() -> None:
    """A temporary name of the library would be in nobody's list."""
    users = [file for file in ROOT.rglob("*.py") if tempfile.__name__ in file.read_text(encoding="utf-8")]
    assert {file.name for file in users} <= {
        "stores.py",
        "incoming_file.py",
        "moment_runs.py",
        "tryout.py",
        "rehearsal.py",
        "stage.py",
        "replay.py",
        "search_runs.py",
    }
