"""The pages under docs/reference are what the code says, and the checklist's markers name rows that exist."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from wisen.cli.main import COMMANDS
from wisen.config import FIELDS

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def docs() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_script", ROOT / "scripts" / "docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # dataclasses looks its module up by name.
    import sys

    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A checkout with one row and one test."""
    (tmp_path / "docs" / "reference").mkdir(parents=True)
    (tmp_path / "tests").mkdir()
    rows(tmp_path, "A1\tIt works\t")
    (tmp_path / "docs" / "reference" / "fault-rows.tsv").write_text("id\ttitle\topen\n")
    mark(tmp_path, "A1")
    return tmp_path


def rows(tree: Path, *lines: str) -> None:
    (tree / "docs" / "reference" / "checklist-rows.tsv").write_text("\n".join(["id\ttitle\topen", *lines]) + "\n")


def mark(tree: Path, row_id: str) -> None:
    (tree / "tests" / "test_x.py").write_text(f"@pytest.mark.row({row_id!r})\ndef test_it_works(): ...\n")


def test_the_pages_are_what_the_code_says(docs: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    code = docs.main(["--check"])
    assert (code, capsys.readouterr().err) == (0, "")


def test_the_pages_are_the_same_every_time(docs: ModuleType, tree: Path) -> None:
    def pages() -> dict[str, bytes]:
        docs.main([], tree)
        return {page.name: page.read_bytes() for page in (tree / "docs" / "reference").glob("*.md")}

    assert pages() == pages()
    assert docs.main(["--check"], tree) == 0


def test_the_errors_are_those_of_the_tree_whatever_else_was_imported(docs: ModuleType) -> None:
    from wisen.store.sqlite.connection import FileDamaged

    codes = re.findall(r"^\| `([a-z-]+)` \|", docs.errors_page(), re.MULTILINE)
    assert FileDamaged.code in codes
    assert len(set(codes)) == len(codes)


def test_every_command_and_setting_has_its_place(docs: ModuleType) -> None:
    commands, settings = docs.cli_page(), docs.settings_page()
    assert [name for name in COMMANDS if f"\n## wisen {name}\n" not in commands] == []
    assert [name for name in FIELDS if f"| `{name}` |" not in settings] == []


def test_a_page_that_was_changed_by_hand_is_noticed(
    docs: ModuleType, tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    docs.main([], tree)
    page = tree / "docs" / "reference" / "errors.md"
    page.write_text(page.read_text() + "more\n")
    assert docs.main(["--check"], tree) == 1
    assert "docs/reference/errors.md is out of date" in capsys.readouterr().err


def test_a_row_without_a_test_is_noticed_unless_it_stands_as_open(
    docs: ModuleType, tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows(tree, "A1\tIt works\t", "B2\tIt flies\t")
    docs.main([], tree)
    assert docs.main(["--check"], tree) == 1
    assert "row B2 (It flies) is shown by no test" in capsys.readouterr().err
    rows(tree, "A1\tIt works\t", "B2\tIt flies\tneeds wings")
    docs.main([], tree)
    assert docs.main(["--check"], tree) == 0
    assert "not shown yet: needs wings" in (tree / "docs" / "reference" / "checklist.md").read_text()


def test_an_open_row_that_is_shown_is_noticed(docs: ModuleType, tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows(tree, "A1\tIt works\tneeds time")
    docs.main([], tree)
    assert docs.main(["--check"], tree) == 1
    assert "stands as open" in capsys.readouterr().err


def test_a_marker_without_a_row_is_noticed(docs: ModuleType, tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mark(tree, "Z9")
    docs.main([], tree)
    assert docs.main(["--check"], tree) == 1
    assert "marked with row Z9" in capsys.readouterr().err


def test_the_known_faults_are_a_register_of_their_own(
    docs: ModuleType, tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tree / "docs" / "reference" / "fault-rows.tsv").write_text("id\ttitle\topen\nB1\tIt does not block\t\n")
    docs.main([], tree)
    assert docs.main(["--check"], tree) == 1
    assert "row B1 (It does not block) is shown by no test" in capsys.readouterr().err
    (tree / "tests" / "test_x.py").write_text(
        "@pytest.mark.row('A1')\n@pytest.mark.fault('B1')\ndef test_it_works(): ...\n"
    )
    docs.main([], tree)
    assert docs.main(["--check"], tree) == 0
    assert "1 of 1 rows" in (tree / "docs" / "reference" / "faults.md").read_text()


def test_markers_on_modules_classes_and_parameters_count(docs: ModuleType, tree: Path) -> None:
    (tree / "tests" / "test_x.py").write_text(
        "pytestmark = [pytest.mark.row('A1')]\n"
        "@pytest.mark.row('B1')\nclass TestIt:\n"
        "    @pytest.mark.row('C1')\n"
        "    @pytest.mark.parametrize('x', [pytest.param(1, marks=pytest.mark.row('D1'))])\n"
        "    async def test_it(self): ...\n"
    )
    assert docs.rows_shown_by_tests(tree, "row") == {
        "A1": ["tests/test_x.py"],
        "B1": ["tests/test_x.py::TestIt"],
        "C1": ["tests/test_x.py::TestIt::test_it"],
        "D1": ["tests/test_x.py::TestIt::test_it"],
    }
