from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.builders import T0, a_memory

from wisen.core.types import EventRef, Memory, Source, Status, Trigger
from wisen.errors import InvalidValue, NotFound
from wisen.evals.memory_list import list_of, shares_of, verdicts_in

RULE = a_memory("Use pnpm here.", memory_id="m1")
RECIPE = replace(
    a_memory("make fmt", memory_id="m2"),
    status=Status.PENDING_REVIEW,
    source=Source.FAILURE_DELTA,
    trigger=Trigger(program="git", subcommand="commit", error_class="commit-hook"),
    evidence=(EventRef(event_id="e1", session_id="s1", at=T0, quote="## 9. active\nverdict: wrong"),),
)


def written(path: Path, *memories: Memory) -> Path:
    path.write_text(list_of(memories, {"s1": 4}, "acme/widgets", as_lines=path.suffix == ".jsonl"), encoding="utf-8")
    return path


def judged(path: Path, *words: str) -> Path:
    """Put a verdict behind each memory, in order."""
    blank = '"verdict": ""' if path.suffix == ".jsonl" else "- verdict: \n"
    text = path.read_text()
    for word in words:
        filled = f'"verdict": "{word}"' if path.suffix == ".jsonl" else f"- verdict: {word}\n"
        text = text.replace(blank, filled, 1)
    path.write_text(text)
    return path


def test_the_list_shows_each_memory_with_its_evidence(tmp_path: Path) -> None:
    text = written(tmp_path / "list.md", RULE, RECIPE).read_text()
    assert "# 2 memories of acme/widgets" in text
    assert "> Use pnpm here." in text
    assert "## 2. pending_review failure_delta" in text
    assert "- comes up before: git commit (commit-hook)" in text
    assert "- seen in session 4 (" in text
    assert text.count("- verdict: ") == 2


@pytest.mark.parametrize("name", ["list.md", "list.jsonl"])
def test_verdicts_are_counted_by_how_the_memories_stand(tmp_path: Path, name: str) -> None:
    path = judged(written(tmp_path / name, RULE, RECIPE, RULE), "Keep", "useless")
    assert verdicts_in(path) == {
        "active": {"keep": 1, "unjudged": 1},
        "all": {"keep": 1, "useless": 1, "unjudged": 1},
        "pending_review": {"useless": 1},
    }


@pytest.mark.parametrize("name", ["list.md", "list.jsonl"])
def test_a_word_that_is_no_verdict_is_refused(tmp_path: Path, name: str) -> None:
    path = judged(written(tmp_path / name, RULE), "good")
    with pytest.raises(InvalidValue, match="good"):
        verdicts_in(path)


def test_shares_are_of_what_was_judged() -> None:
    shares = shares_of({"keep": 3, "wrong": 1, "unjudged": 4})
    assert shares["keep"] == {"of": 4, "hits": 3, "share": 0.75, "interval": [0.3006, 0.9544]}
    assert shares["unjudged"] == 4


def test_a_file_that_can_t_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="nowhere"):
        verdicts_in(tmp_path / "nowhere.md")
