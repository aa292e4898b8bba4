from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wisen.core.types import Tier
from wisen.evals.gate_recipes import events_in, plain_result, score, signals_in
from wisen.transcripts.fields import Fields

HOOK = "Exit code 1\nhusky - pre-commit script failed (code 1)"


def window(number: int, label: str, *, repo: str = "acme/widgets", firm: bool = True, **over: Any) -> dict[str, Any]:
    """A labelled window: a commit that a hook refused, a formatter, the commit."""
    commit = {"command": "git commit -m x"}
    return {
        "id": f"w{number}",
        "repo": repo,
        "fail": {"tool": "Bash", "input": commit, "kind": "", "error": HOOK},
        "between": [{"tool": "Bash", "input": "npm run fmt", "outcome": "success"}],
        "user_prompts_between": [],
        "success": {"tool": "Bash", "input": commit, "output": "[main 1234567] x"},
        "label": {"label": label, "firm": firm},
        **over,
    }


def retried(number: int, label: str, **over: Any) -> dict[str, Any]:
    """A window that teaches nothing: the same test again."""
    call = {"tool": "Bash", "input": {"command": "npm test"}}
    failed, worked = {**call, "error": "Exit code 1\n1 failing"}, {**call, "output": "ok"}
    return window(number, label, fail=failed, success=worked, between=[], **over)


def suggested(number: int, label: str, **over: Any) -> dict[str, Any]:
    """A window that waits for the person: an option that everybody's tool does not have."""
    failed = {"tool": "Bash", "input": {"command": "gh pr diff 1 --stat"}, "error": "unknown flag: --stat"}
    worked = {"tool": "Bash", "input": {"command": "gh pr diff 1 --name-only"}, "output": "a"}
    return window(number, label, fail=failed, success=worked, between=[], **over)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    rows = [
        window(1, "recipe"),
        window(2, "trivial"),
        window(3, "generic", firm=False),
        retried(4, "recipe", repo="acme/gears"),
        retried(5, "trivial"),
        suggested(6, "recipe"),
        window(7, "recipe", repo="acme/hidden"),
    ]
    file = tmp_path / "windows.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows))
    return file


def test_precision_is_over_what_is_emitted_and_recall_over_firm_recipes(path: Path) -> None:
    tiers = score(path, but_not={"acme/hidden"}).tiers
    adopt, suggest = tiers[Tier.ADOPT], tiers[Tier.SUGGEST]
    assert (adopt.right, adopt.emitted, adopt.found, adopt.wanted) == (1, 2, 1, 3)
    assert (suggest.right, suggest.emitted, suggest.found, suggest.wanted) == (2, 3, 2, 3)
    assert set(adopt.by_repository) == {"acme/widgets", "acme/gears"}


def test_a_repository_that_is_not_held_back_counts(path: Path) -> None:
    assert score(path).tiers[Tier.ADOPT].wanted == 4


def test_what_the_user_said_and_the_calls_between_are_part_of_a_window() -> None:
    row = Fields(window(1, "recipe", user_prompts_between=["use the formatter"]))
    assert [event.name for event in events_in(row)] == ["post_tool", "post_tool", "user_prompt", "post_tool"]
    assert "use the formatter" in [ref.quote for ref in signals_in(row)[0].evidence]


@pytest.mark.parametrize("outcome", ["failure", "unknown"])
def test_a_call_between_that_did_not_work_is_no_step(outcome: str) -> None:
    step = {"tool": "Bash", "input": "npm run fmt", "outcome": outcome}
    assert signals_in(Fields(window(1, "recipe", between=[step]))) == ()


def test_windows_of_other_agents_are_read_alike() -> None:
    framed = "Command: /bin/zsh -lc 'git commit -m x'\nChunk ID: 1\nProcess exited with code 1\nOutput:\nhusky - failed"
    row = window(
        1,
        "recipe",
        fail={"tool": "exec_command", "input": {"command": "git commit -m x", "workdir": "/r"}, "error": framed},
        between=[{"tool": "exec_command", "input": "npm run fmt", "outcome": "success"}],
    )
    assert [signal.rule for signal in signals_in(Fields(row))] == [
        "Run `npm run fmt` before `git commit`: its hook refuses it otherwise."
    ]


@pytest.mark.parametrize(
    ("result", "plain"),
    [
        ("Exit code 1\nboom", "Exit code 1\nboom"),
        (
            "Chunk ID: 1\nWall time: 0\nProcess exited with code 2\nOriginal token count: 1\nOutput:\nboom",
            "Exit code 2\nboom",
        ),
        ("Chunk ID: 1\nProcess exited with code 0\nOutput:\nfine", "fine"),
        ('Script completed\nOutput:\n\n{"chunk_id":"a","exit_code":3,"output":"boom"}', "Exit code 3\nboom"),
        ('Script completed\nOutput:\n{"chunk_id":"a", cut', 'Script completed\nOutput:\n{"chunk_id":"a", cut'),
    ],
)
def test_the_frame_around_a_result_is_taken_off(result: str, plain: str) -> None:
    assert plain_result(result).endswith(plain.removeprefix("Script completed\nOutput:\n"))
