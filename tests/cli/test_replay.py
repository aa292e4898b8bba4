"""eval replay and eval verdicts: real sessions are played in a store of their own, and what is told of it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.stage import FakeDaemon, Wisen
from tests.evals.replays import folders


def test_a_replay_is_told_in_words_and_asks_no_daemon(wisen: Wisen, daemon: FakeDaemon, tmp_path: Path) -> None:
    folder, _ = folders(tmp_path)
    out = wisen("eval", "replay", str(folder)).out
    assert "acme/widgets: 3 sessions" in out
    assert "2 active, 0 waiting for review" in out
    assert "1 of 1: 1.00" in out
    assert daemon.asked == []


def test_a_replay_is_told_as_json(wisen: Wisen, tmp_path: Path) -> None:
    folder, labels = folders(tmp_path)
    told = json.loads(wisen("eval", "replay", str(folder), "--labels", str(labels), "--json").out)
    assert told["totals"]["sessions"] == 3
    assert told["facts"]["held"]["hits"] == 1


def test_a_page_and_a_list_are_written_where_they_are_wanted(wisen: Wisen, tmp_path: Path) -> None:
    folder, _ = folders(tmp_path)
    html, listed = tmp_path / "page.html", tmp_path / "list.md"
    wisen("eval", "replay", str(folder), "--html", str(html), "--memories", str(listed))
    assert html.read_text().startswith("<!doctype html>")
    assert listed.read_text().count("- verdict:") == 2


def test_a_list_without_a_name_goes_to_a_scratch_directory(wisen: Wisen, tmp_path: Path) -> None:
    folder, _ = folders(tmp_path)
    shown = wisen("eval", "replay", str(folder), "--memories")
    path = Path((shown.out + shown.err).partition("written: ")[2].split("\n")[0].strip())
    assert path.name == "acme+widgets.md"
    assert not path.is_relative_to(Path.cwd())
    assert path.exists()


def test_a_folder_without_sessions_is_an_error_that_says_what_to_do(wisen: Wisen, tmp_path: Path) -> None:
    failed = wisen("eval", "replay", str(tmp_path))
    assert failed.code == 3
    assert failed.err.startswith("error: no sessions in")
    assert "hint: give a folder" in failed.err


def test_verdicts_are_counted(wisen: Wisen, tmp_path: Path) -> None:
    folder, _ = folders(tmp_path)
    path = tmp_path / "list.md"
    wisen("eval", "replay", str(folder), "--memories", str(path))
    path.write_text(path.read_text().replace("- verdict: ", "- verdict: keep", 1))
    assert "1 of 1: 1.00" in wisen("eval", "verdicts", str(path)).out
    told = json.loads(wisen("eval", "verdicts", str(path), "--json").out)
    assert told["all"]["keep"]["hits"] == 1
    assert told["active"]["unjudged"] == 1


def test_a_list_without_memories_is_an_error(wisen: Wisen, tmp_path: Path) -> None:
    path = tmp_path / "list.md"
    path.write_text("# nothing\n")
    failed = wisen("eval", "verdicts", str(path))
    assert failed.code == 2
    assert "no memories" in failed.err
